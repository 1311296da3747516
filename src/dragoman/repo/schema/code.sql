-- The code as it stands in the work tree: files, what is defined in them, and who calls whom.
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,        -- from the root, with forward slashes
    language TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL,             -- of the content, so that a file is read again only when it changed
    size INTEGER NOT NULL,            -- bytes
    lines INTEGER NOT NULL,
    is_test INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE skipped (path TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    uid TEXT NOT NULL UNIQUE,         -- path::Outer.inner, with #n for the n-th of the same name
    dotted TEXT NOT NULL,             -- package.module.Outer.inner
    name TEXT NOT NULL,
    kind TEXT NOT NULL,               -- module, class, function, method, variable ...
    parent_id INTEGER REFERENCES symbols (id) ON DELETE CASCADE,
    signature TEXT NOT NULL DEFAULT '',
    doc TEXT NOT NULL DEFAULT '',
    line INTEGER NOT NULL,            -- both from 1, both included
    end_line INTEGER NOT NULL
);
CREATE INDEX symbols_by_name ON symbols (name);
CREATE INDEX symbols_by_file ON symbols (file_id, line);
CREATE TABLE imports (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    module TEXT NOT NULL,             -- as written
    target_id INTEGER REFERENCES files (id) ON DELETE SET NULL
);
CREATE TABLE calls (
    caller_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    callee_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,            -- of the call
    column INTEGER NOT NULL,
    tier TEXT NOT NULL                -- proven: every step of the chain is in the code; typed: a step rests on an annotation
);
CREATE INDEX calls_by_callee ON calls (callee_id);
CREATE INDEX calls_by_caller ON calls (caller_id);
-- Candidates by name alone; kept apart, shown as possible, never counted.
CREATE TABLE possible_calls (
    caller_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    callee_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL
);
CREATE INDEX possible_by_callee ON possible_calls (callee_id);
CREATE TABLE unresolved_calls (
    caller_id INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    text TEXT NOT NULL                -- the callee as written, receiver included
);
CREATE INDEX unresolved_by_caller ON unresolved_calls (caller_id);
