-- The code as it stands in the work tree: files, what is defined in them, and who calls whom.
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,        -- from the root, with forward slashes
    language TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL,             -- of the content, so that a file is read again only when it changed
    size INTEGER NOT NULL,            -- bytes
    lines INTEGER NOT NULL,
    is_test INTEGER NOT NULL DEFAULT 0,
    edges TEXT NOT NULL DEFAULT ''    -- digest of the rows below that start in this file
);
CREATE TABLE skipped (path TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    uid TEXT NOT NULL UNIQUE,         -- path::Outer.inner, with #n for the n-th of the same name; of a module its path alone
    dotted TEXT NOT NULL,             -- package.module.Outer.inner
    name TEXT NOT NULL,
    kind TEXT NOT NULL,               -- module, class, function, method, variable ...
    parent_id INTEGER REFERENCES symbols (id) ON DELETE CASCADE,
    signature TEXT NOT NULL DEFAULT '',
    doc TEXT NOT NULL DEFAULT '',
    line INTEGER NOT NULL,            -- both from 1, both included
    end_line INTEGER NOT NULL,
    words TEXT NOT NULL DEFAULT ''    -- the words a name is made of
);
CREATE INDEX symbols_by_name ON symbols (name);
CREATE INDEX symbols_by_file ON symbols (file_id, line);
CREATE INDEX symbols_by_parent ON symbols (parent_id);
CREATE INDEX symbols_by_dotted ON symbols (dotted);
CREATE VIRTUAL TABLE symbol_names USING fts5 (name, content = 'symbols', content_rowid = 'id', tokenize = 'trigram');
CREATE VIRTUAL TABLE symbol_words USING fts5 (
    words, doc, content = 'symbols', content_rowid = 'id', tokenize = 'porter unicode61', prefix = '2 3'
);
CREATE VIRTUAL TABLE name_parts USING fts5vocab (symbol_names, 'row');
CREATE TRIGGER symbols_in AFTER INSERT ON symbols BEGIN
    INSERT INTO symbol_names (rowid, name) VALUES (new.id, new.name);
    INSERT INTO symbol_words (rowid, words, doc) VALUES (new.id, new.words, new.doc);
END;
CREATE TRIGGER symbols_out AFTER DELETE ON symbols BEGIN
    INSERT INTO symbol_names (symbol_names, rowid, name) VALUES ('delete', old.id, old.name);
    INSERT INTO symbol_words (symbol_words, rowid, words, doc) VALUES ('delete', old.id, old.words, old.doc);
END;
CREATE TRIGGER symbols_changed AFTER UPDATE OF name, words, doc ON symbols
WHEN old.name != new.name OR old.words != new.words OR old.doc != new.doc BEGIN
    INSERT INTO symbol_names (symbol_names, rowid, name) VALUES ('delete', old.id, old.name);
    INSERT INTO symbol_words (symbol_words, rowid, words, doc) VALUES ('delete', old.id, old.words, old.doc);
    INSERT INTO symbol_names (rowid, name) VALUES (new.id, new.name);
    INSERT INTO symbol_words (rowid, words, doc) VALUES (new.id, new.words, new.doc);
END;
CREATE TABLE imports (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    module TEXT NOT NULL,             -- as written
    target_id INTEGER REFERENCES files (id) ON DELETE SET NULL
);
CREATE INDEX imports_by_file ON imports (file_id);
CREATE INDEX imports_by_target ON imports (target_id);
CREATE TABLE calls (
    caller_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    callee_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,            -- of the call
    column INTEGER NOT NULL,
    tier TEXT NOT NULL,               -- proven: every step of the chain is in the code; typed: a step rests on an annotation
    resolver TEXT NOT NULL DEFAULT '' -- who says so: '' for our own reading, or the name of the overlay (scip, codegraph)
);
CREATE INDEX calls_by_callee ON calls (callee_id);
CREATE INDEX calls_by_caller ON calls (caller_id);
CREATE INDEX calls_by_file ON calls (file_id);
-- Candidates by name alone; kept apart, shown as possible, never counted.
CREATE TABLE possible_calls (
    caller_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    callee_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL
);
CREATE INDEX possible_by_callee ON possible_calls (callee_id);
CREATE INDEX possible_by_caller ON possible_calls (caller_id);
CREATE INDEX possible_by_file ON possible_calls (file_id);
CREATE TABLE unresolved_calls (
    caller_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    text TEXT NOT NULL,               -- the callee as written, receiver included
    name TEXT NOT NULL DEFAULT '',    -- its last part
    is_external INTEGER NOT NULL DEFAULT 0  -- goes to the language or a library for certain
);
CREATE INDEX unresolved_by_caller ON unresolved_calls (caller_id);
CREATE INDEX unresolved_by_name ON unresolved_calls (name) WHERE is_external = 0;
CREATE INDEX unresolved_by_file ON unresolved_calls (file_id);
-- A function or class handed over without being called.
CREATE TABLE handed_over (
    holder_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    target_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    tier TEXT NOT NULL
);
CREATE INDEX handed_over_by_target ON handed_over (target_id);
CREATE INDEX handed_over_by_holder ON handed_over (holder_id);
CREATE INDEX handed_over_by_file ON handed_over (file_id);
-- What was read of each file, before it is published above: a scan that was cut short goes on from here.
CREATE TABLE readings (
    path TEXT PRIMARY KEY,
    mark TEXT NOT NULL,               -- of the file when it was read; '' where it has to be read again
    read_ns INTEGER NOT NULL,
    digest TEXT NOT NULL,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    reason TEXT,                      -- why it is left out
    failure TEXT,                     -- why nothing could be made of it
    config TEXT,                      -- what it says of modules, where it is a config that does; see languages/configs.py
    facts BLOB
) WITHOUT ROWID;
CREATE INDEX readings_of_configs ON readings (path) WHERE config IS NOT NULL;
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;  -- what was published, as JSON
-- What the resolving of a file's calls looked up elsewhere, and what stood there: an update resolves the files anew for which
-- one of these has changed. The keys are those of languages/cells.py.
CREATE TABLE lookups (
    path TEXT NOT NULL,               -- where it was looked up: a file, or a folder
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- for whom
    keys TEXT NOT NULL,               -- as JSON
    PRIMARY KEY (path, file_id)
) WITHOUT ROWID;
CREATE INDEX lookups_by_file ON lookups (file_id);
CREATE TABLE answers (path TEXT PRIMARY KEY, told TEXT NOT NULL) WITHOUT ROWID;  -- a digest, or a path, by key, as JSON
