-- The history as git tells it. Times are ISO 8601 in UTC ('2026-03-01T12:00:00Z'), so SQLite's date functions take them.
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL);
CREATE TABLE identities (            -- every spelling of an author
    name TEXT NOT NULL, email TEXT NOT NULL, author_id INTEGER NOT NULL REFERENCES authors (id),
    PRIMARY KEY (name, email)
) WITHOUT ROWID;
CREATE TABLE commits (
    sha TEXT PRIMARY KEY,
    author_id INTEGER NOT NULL REFERENCES authors (id),
    authored_at TEXT NOT NULL,
    committed_at TEXT NOT NULL,
    parents TEXT NOT NULL DEFAULT '', -- shas with a space between; the first is the one a diff is against
    subject TEXT NOT NULL,
    body TEXT NOT NULL DEFAULT '',
    description TEXT,                 -- written from the diff alone; NULL where there is none
    on_default_branch INTEGER NOT NULL DEFAULT 0,  -- on the first-parent line of the default branch
    is_merge INTEGER NOT NULL DEFAULT 0,
    incomplete TEXT,                  -- why the files of this commit are not known, where they are not
    files_changed INTEGER NOT NULL DEFAULT 0,
    insertions INTEGER NOT NULL DEFAULT 0,
    deletions INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX commits_by_time ON commits (on_default_branch, committed_at);
CREATE TABLE commit_files (
    sha TEXT NOT NULL REFERENCES commits (sha) ON DELETE CASCADE,
    path TEXT NOT NULL,
    old_path TEXT,                    -- of a rename
    status TEXT NOT NULL,             -- A added, M modified, D deleted, R renamed, T changed kind
    insertions INTEGER,               -- NULL for a binary file
    deletions INTEGER
);
CREATE INDEX commit_files_by_path ON commit_files (path, sha);
CREATE INDEX commit_files_by_sha ON commit_files (sha);
CREATE TABLE tips (sha TEXT PRIMARY KEY) WITHOUT ROWID;  -- everything these reach is indexed
