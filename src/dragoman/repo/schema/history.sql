-- The history as git tells it. Times are ISO 8601 in UTC ('2026-03-01T12:00:00Z'), so SQLite's date functions take them.
CREATE TABLE authors (               -- a person, or a bot, once
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,         -- what makes it one: an e-mail address, or a bot's name
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    is_bot INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE identities (            -- every spelling of an author
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    author_id INTEGER NOT NULL REFERENCES authors (id),
    UNIQUE (name, email)
);
CREATE INDEX identities_by_author ON identities (author_id);
CREATE TABLE commits (
    id INTEGER PRIMARY KEY,           -- a parent's is smaller than its child's
    sha TEXT NOT NULL UNIQUE,
    author_id INTEGER NOT NULL REFERENCES authors (id),
    identity_id INTEGER NOT NULL REFERENCES identities (id),
    authored_at TEXT NOT NULL,
    committed_at TEXT NOT NULL,
    parents TEXT NOT NULL DEFAULT '', -- shas with a space between; the first is the one a diff is against
    subject TEXT NOT NULL,
    body TEXT NOT NULL DEFAULT '',
    description TEXT,                 -- written from the diff alone; NULL where there is none
    on_default_branch INTEGER NOT NULL DEFAULT 0,  -- on the first-parent line of the default branch
    reachable INTEGER NOT NULL DEFAULT 1,  -- 0 once no branch and no tag leads here any more
    is_merge INTEGER NOT NULL DEFAULT 0,
    incomplete TEXT,                  -- why the files of this commit are not known, or their lines not counted
    files_changed INTEGER NOT NULL DEFAULT 0,
    insertions INTEGER NOT NULL DEFAULT 0,
    deletions INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX commits_by_time ON commits (on_default_branch, committed_at);
CREATE INDEX commits_by_author ON commits (author_id);
CREATE INDEX commits_incomplete ON commits (incomplete) WHERE incomplete IS NOT NULL;
CREATE TABLE commit_files (          -- a merge's are those against its first parent
    sha TEXT NOT NULL REFERENCES commits (sha) ON DELETE CASCADE,
    path TEXT NOT NULL,
    old_path TEXT,                    -- of a rename
    status TEXT NOT NULL,             -- A added, M modified, D deleted, R renamed, T changed kind
    insertions INTEGER,               -- NULL for a binary file
    deletions INTEGER,
    PRIMARY KEY (sha, path)
) WITHOUT ROWID;
CREATE INDEX commit_files_by_path ON commit_files (path);
CREATE INDEX commit_files_renamed ON commit_files (path) WHERE old_path IS NOT NULL;
CREATE INDEX commit_files_by_old_path ON commit_files (old_path) WHERE old_path IS NOT NULL;
-- Words to find commits by; the texts stay where they are. rowid is the commit's id.
CREATE VIRTUAL TABLE commit_words USING fts5 (message, paths, content = '', detail = 'column', tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE description_words USING fts5 (description, content = '', detail = 'column', tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE message_terms USING fts5vocab ('commit_words', 'row');
CREATE VIRTUAL TABLE description_terms USING fts5vocab ('description_words', 'row');
CREATE TABLE tips (sha TEXT PRIMARY KEY) WITHOUT ROWID;  -- everything these reach is indexed
CREATE TABLE history (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;  -- of the last scan: branch, head ...
