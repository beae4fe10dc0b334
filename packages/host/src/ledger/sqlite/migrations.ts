/** Marks a file as a ledger of ours, whatever version it has: "PBLG". */
export const applicationId = 0x50_42_4c_47;

/**
 * How a ledger comes from each version to the next: step N makes version N + 1. Steps are only ever added, as files of
 * all versions are out there. What was written under an earlier version must stay verifiable.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    run_id TEXT,
    turn_id TEXT,
    role TEXT,
    phase TEXT,
    payload TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_run ON events (run_id) WHERE run_id IS NOT NULL;
  CREATE INDEX events_by_type ON events (type);
  CREATE INDEX events_by_time ON events (at);

  -- The one row that knows both ends of the chain: the last event that was pruned, and the last that was appended.
  CREATE TABLE chain (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    anchor_seq INTEGER NOT NULL,
    anchor_hash TEXT NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO chain VALUES (1, 0, '', 0, '');

  CREATE TABLE deliveries (
    seq INTEGER NOT NULL REFERENCES events (seq),
    n INTEGER NOT NULL,
    plugin TEXT NOT NULL,
    handler TEXT NOT NULL,
    awaited INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'owed',
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TEXT,
    settled_at TEXT,
    exit_code INTEGER,
    signal TEXT,
    http_status INTEGER,
    verdict TEXT,
    message TEXT,
    annotations TEXT,
    duration_ms REAL,
    plugin_version TEXT,
    plugin_digest TEXT,
    PRIMARY KEY (seq, n)
  ) STRICT, WITHOUT ROWID;
  -- Only what is still owed, so that looking for it costs the same however much has been delivered.
  CREATE INDEX deliveries_owed ON deliveries (plugin, seq, n, due_at) WHERE status = 'owed';
  CREATE INDEX deliveries_bad ON deliveries (seq, n) WHERE status IN ('failed', 'refused');

  -- Follows from the deliveries, but would take reading all of them.
  CREATE TABLE failing (
    plugin TEXT NOT NULL,
    handler TEXT NOT NULL,
    failures INTEGER NOT NULL,
    last TEXT NOT NULL,
    message TEXT,
    PRIMARY KEY (plugin, handler)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What the events of a run come to, and runs that have no event yet.
  CREATE TABLE runs (
    n INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    template TEXT,
    goal TEXT,
    request TEXT,
    head INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_open ON runs (status, n) WHERE status IN ('pending', 'active', 'waiting');
  `,
  `
  ALTER TABLE deliveries ADD COLUMN request TEXT;
  ALTER TABLE deliveries ADD COLUMN asked_at TEXT;
  -- Those that were never sent have no due time and stand first, in the order of events.
  CREATE INDEX deliveries_unsent ON deliveries (plugin, due_at, seq, n) WHERE status = 'sending';

  -- Where requests did not arrive. Not in \`failing\`: a handler that answers works, wherever its requests go.
  CREATE TABLE endpoints (
    plugin TEXT NOT NULL,
    handler TEXT NOT NULL,
    failures INTEGER NOT NULL,
    last TEXT NOT NULL,
    message TEXT,
    disabled_at TEXT,
    PRIMARY KEY (plugin, handler)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What was said in a chat: read from its end whenever somebody says more. What was tampered with may not be JSON any more.
  CREATE INDEX events_by_chat ON events (CASE WHEN json_valid(payload) THEN json_extract(payload, '$.chat_jid') END)
    WHERE type IN ('message:received', 'message:sent', 'chat:cleared');
  `,
  `
  -- What is known of the project as a whole and is no event, such as which webhooks are paused. JSON.
  CREATE TABLE notes (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The same, said otherwise: for a list of three SQLite makes a table each time that something is appended.
  DROP INDEX events_by_chat;
  CREATE INDEX events_by_chat ON events (CASE WHEN json_valid(payload) THEN json_extract(payload, '$.chat_jid') END)
    WHERE type = 'message:received' OR type = 'message:sent' OR type = 'chat:cleared';
  `,
];
