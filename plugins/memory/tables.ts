/** Marks a file as a memory of ours: "PBME". */
export const applicationId = 0x50_42_4d_45;

/** How a memory comes from each version to the next. Steps are only ever added. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    metadata TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- When it is gone (daily) or archived (conversation) by itself.
    due_at TEXT,
    archived INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX entries_by_time ON entries (updated_at, id);
  CREATE INDEX entries_due ON entries (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE history (
    n INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    metadata TEXT,
    until TEXT NOT NULL
  ) STRICT;
  CREATE INDEX history_by_key ON history (key);

  -- Only what can be recalled is in here, so that nothing else counts into the ranking.
  CREATE VIRTUAL TABLE words USING fts5 (key, content, content='entries', content_rowid='id');
  -- Only texts in scripts without spaces, which the index of words cannot take apart.
  CREATE VIRTUAL TABLE pieces USING fts5 (key, content, content='', contentless_delete=1, tokenize='trigram');
  `,
];
