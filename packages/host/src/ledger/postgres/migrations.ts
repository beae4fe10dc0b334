/**
 * How the database comes from each version to the next: step N makes version N + 1. Steps are only ever added. Texts are
 * compared byte by byte, whatever the language of the database; numbers are as large as SQLite's.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE events (
    seq bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    type text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    run_id text COLLATE "C",
    turn_id text COLLATE "C",
    role text COLLATE "C",
    phase text COLLATE "C",
    payload text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    -- Where it was said. Follows from the payload, which need not be JSON that PostgreSQL can read.
    chat text COLLATE "C"
  );
  CREATE INDEX events_by_run ON events (run_id, seq) WHERE run_id IS NOT NULL;
  CREATE INDEX events_by_type ON events (type, seq);
  CREATE INDEX events_by_time ON events (at, seq);
  CREATE INDEX events_by_chat ON events (chat, seq) WHERE chat IS NOT NULL;

  -- The one row that knows both ends of the chain: the last event that was pruned, and the last that was appended. Who has
  -- locked it is the only one to append, to prune, and to begin runs.
  CREATE TABLE chain (
    id bigint PRIMARY KEY CHECK (id = 1),
    anchor_seq bigint NOT NULL,
    anchor_hash text COLLATE "C" NOT NULL,
    head_seq bigint NOT NULL,
    head_hash text COLLATE "C" NOT NULL
  );
  INSERT INTO chain VALUES (1, 0, '', 0, '');

  CREATE TABLE deliveries (
    seq bigint NOT NULL REFERENCES events (seq),
    n bigint NOT NULL,
    plugin text COLLATE "C" NOT NULL,
    handler text COLLATE "C" NOT NULL,
    awaited bigint NOT NULL,
    status text COLLATE "C" NOT NULL DEFAULT 'owed',
    attempts bigint NOT NULL DEFAULT 0,
    due_at text COLLATE "C",
    settled_at text COLLATE "C",
    exit_code bigint,
    signal text COLLATE "C",
    http_status bigint,
    verdict text COLLATE "C",
    message text COLLATE "C",
    annotations text COLLATE "C",
    duration_ms double precision,
    plugin_version text COLLATE "C",
    plugin_digest text COLLATE "C",
    request text COLLATE "C",
    asked_at text COLLATE "C",
    PRIMARY KEY (seq, n)
  );
  -- Only what is still owed, so that looking for it costs the same however much has been delivered.
  CREATE INDEX deliveries_owed ON deliveries (plugin, seq, n, due_at) WHERE status = 'owed';
  -- Those that were never sent have no due time.
  CREATE INDEX deliveries_first ON deliveries (plugin, seq, n) WHERE status = 'sending' AND due_at IS NULL;
  CREATE INDEX deliveries_again ON deliveries (plugin, due_at, seq, n) WHERE status = 'sending';
  CREATE INDEX deliveries_bad ON deliveries (seq, n) WHERE status IN ('failed', 'refused');

  -- Follows from the deliveries, but would take reading all of them.
  CREATE TABLE failing (
    plugin text COLLATE "C" NOT NULL,
    handler text COLLATE "C" NOT NULL,
    failures bigint NOT NULL,
    last text COLLATE "C" NOT NULL,
    message text COLLATE "C",
    PRIMARY KEY (plugin, handler)
  );

  -- Where requests did not arrive. Not in "failing": a handler that answers works, wherever its requests go.
  CREATE TABLE endpoints (
    plugin text COLLATE "C" NOT NULL,
    handler text COLLATE "C" NOT NULL,
    failures bigint NOT NULL,
    last text COLLATE "C" NOT NULL,
    message text COLLATE "C",
    disabled_at text COLLATE "C",
    PRIMARY KEY (plugin, handler)
  );

  -- What the events of a run come to, and runs that have no event yet.
  CREATE TABLE runs (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL UNIQUE,
    status text COLLATE "C" NOT NULL,
    template text COLLATE "C",
    goal text COLLATE "C",
    request text COLLATE "C",
    head bigint NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL
  );
  CREATE INDEX runs_open ON runs (status, n) WHERE status IN ('pending', 'active', 'waiting');
  `,
  `
  -- The hosts that work on this ledger, and those that did. Who holds the advisory lock of its number is there; one that is
  -- fenced may write nothing more.
  CREATE TABLE hosts (
    id text COLLATE "C" PRIMARY KEY,
    lock integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    name text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    labels text[] NOT NULL,
    -- Whether it carries on whatever run is asked for, rather than one of its own.
    serving boolean NOT NULL DEFAULT false,
    api text COLLATE "C",
    at_once integer,
    joined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    fenced_at timestamptz,
    -- Why: in words, for people.
    reason text COLLATE "C"
  );

  -- What a host does so that no other one does it at the same time.
  CREATE TABLE claims (
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    host text COLLATE "C" NOT NULL REFERENCES hosts (id) ON DELETE CASCADE,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (kind, key)
  );
  CREATE INDEX claims_by_host ON claims (host);

  -- What a run has made, and what its turns were given, for whichever host goes on with it.
  CREATE TABLE artifacts (
    run_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    content bytea NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run_id, name)
  );

  -- What is known of the project as a whole and is no event, such as which webhooks are paused. JSON.
  CREATE TABLE notes (
    key text COLLATE "C" PRIMARY KEY,
    value text COLLATE "C" NOT NULL
  );
  `,
];
