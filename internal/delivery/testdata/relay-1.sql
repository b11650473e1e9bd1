CREATE TABLE fact (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE TABLE agent (
	key     TEXT PRIMARY KEY,
	name    TEXT NOT NULL,
	program TEXT NOT NULL,
	cwd     TEXT NOT NULL,
	kind    TEXT NOT NULL,
	lead    TEXT NOT NULL,              -- the seat that has, or had, the inbox
	since   INTEGER NOT NULL,           -- it runs, or does not
	seen    INTEGER NOT NULL,
	waiting INTEGER NOT NULL DEFAULT 0  -- kept by the triggers below
) WITHOUT ROWID;

-- The live sessions. A row says so only while the file of its id is locked.
CREATE TABLE seat (
	id         TEXT PRIMARY KEY,
	agent      TEXT NOT NULL,
	session    TEXT NOT NULL,
	pid        INTEGER NOT NULL,
	kind       TEXT NOT NULL,
	program    TEXT NOT NULL,
	cwd        TEXT NOT NULL,
	transcript TEXT NOT NULL,
	history    TEXT NOT NULL,
	joined     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX seat_agent ON seat (agent);
CREATE INDEX seat_session ON seat (session);

CREATE TABLE channel (key TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE member (channel TEXT NOT NULL, agent TEXT NOT NULL, PRIMARY KEY (channel, agent)) WITHOUT ROWID;
CREATE INDEX member_agent ON member (agent);

CREATE TABLE message (
	id       TEXT PRIMARY KEY,
	short    TEXT NOT NULL,
	sender   TEXT NOT NULL,
	machine  TEXT NOT NULL,    -- the sender's
	by_agent INTEGER NOT NULL,
	kept     INTEGER NOT NULL, -- when, by the clock here
	body     TEXT NOT NULL     -- the Message as JSON
) WITHOUT ROWID;
CREATE INDEX message_short ON message (short);
CREATE INDEX message_sender ON message (sender, kept, machine, by_agent);
CREATE INDEX message_kept ON message (kept);

-- One row for each message and receiver: of this machine the ledger, of others
-- what their receipts say.
CREATE TABLE delivery (
	seq        INTEGER PRIMARY KEY,
	message    TEXT NOT NULL,
	machine    TEXT NOT NULL,    -- the receiver's
	agent      TEXT NOT NULL,
	name       TEXT NOT NULL,
	session    TEXT NOT NULL,    -- the only one that gets it; '' is the one that has the inbox
	sender     TEXT NOT NULL,
	origin     TEXT NOT NULL,    -- the sender's machine
	state      INTEGER NOT NULL, -- see state.go
	priority   INTEGER NOT NULL,
	arrival    INTEGER NOT NULL, -- the order in which they came out of the streams
	owner      TEXT NOT NULL DEFAULT '', -- the seat that has begun it
	injected_in TEXT NOT NULL DEFAULT '', -- the session
	text       TEXT NOT NULL DEFAULT '', -- as it is injected, until that is done
	transcript TEXT NOT NULL DEFAULT '',
	history    TEXT NOT NULL DEFAULT '',
	how        TEXT NOT NULL DEFAULT '',
	repeat     INTEGER NOT NULL DEFAULT 0,
	tries      INTEGER NOT NULL DEFAULT 0,
	reason     TEXT NOT NULL DEFAULT '',
	reply      TEXT NOT NULL DEFAULT '',
	accepted   INTEGER NOT NULL DEFAULT 0,
	begun      INTEGER NOT NULL DEFAULT 0,
	injected   INTEGER NOT NULL DEFAULT 0,
	seen       INTEGER NOT NULL DEFAULT 0,
	replied    INTEGER NOT NULL DEFAULT 0,
	UNIQUE (message, machine, agent)
);
CREATE INDEX delivery_inbox ON delivery (machine, agent, seq);
CREATE INDEX delivery_waiting ON delivery (agent, priority DESC, arrival) WHERE machine = '' AND state IN (1, 2);
CREATE INDEX delivery_unsure ON delivery (machine, agent) WHERE machine <> '' AND state = 0;
CREATE INDEX delivery_unseen ON delivery (injected_in) WHERE machine = '' AND state = 3;
CREATE INDEX delivery_answer ON delivery (injected_in, sender) WHERE machine = '' AND state IN (3, 4);

CREATE TRIGGER delivery_comes AFTER INSERT ON delivery WHEN new.machine = '' AND new.state < 3 BEGIN
	UPDATE agent SET waiting = waiting + 1 WHERE key = new.agent;
END;
CREATE TRIGGER delivery_moves AFTER UPDATE OF state ON delivery WHEN old.machine = '' AND (old.state < 3) <> (new.state < 3) BEGIN
	UPDATE agent SET waiting = waiting + (new.state < 3) - (old.state < 3) WHERE key = old.agent;
END;
CREATE TRIGGER delivery_goes AFTER DELETE ON delivery WHEN old.machine = '' AND old.state < 3 BEGIN
	UPDATE agent SET waiting = waiting - 1 WHERE key = old.agent;
END;

-- What has to be published. A message stays until its receiver's machine has it.
CREATE TABLE outbox (
	seq       INTEGER PRIMARY KEY AUTOINCREMENT,
	id        TEXT NOT NULL,
	machine   TEXT NOT NULL,
	message   TEXT NOT NULL,              -- '' for receipts
	agent     TEXT NOT NULL,              -- the receiver, if it is one
	session   TEXT NOT NULL,
	data      BLOB,                       -- of receipts
	published INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_next ON outbox (seq) WHERE published = 0;
CREATE INDEX outbox_message ON outbox (message, machine);
CREATE INDEX outbox_machine ON outbox (machine, published);

-- How far each stream was taken in.
CREATE TABLE source (stream TEXT PRIMARY KEY, created INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;

-- How often two agents have answered each other since a person spoke to one of them.
CREATE TABLE pair (a TEXT NOT NULL, b TEXT NOT NULL, turns INTEGER NOT NULL, last TEXT NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE INDEX pair_b ON pair (b);

-- What other machines say of themselves.
CREATE TABLE peer (machine TEXT PRIMARY KEY, heard INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE peer_agent (machine TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, offline INTEGER NOT NULL, PRIMARY KEY (machine, key)) WITHOUT ROWID;
CREATE INDEX peer_agent_key ON peer_agent (key);
CREATE TABLE peer_channel (machine TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (machine, key)) WITHOUT ROWID;
CREATE INDEX peer_channel_key ON peer_channel (key);
