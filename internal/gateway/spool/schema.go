package spool

import "github.com/hookway/hookway/internal/sqlite"

// form is what the file is.
var form = sqlite.Form{
	What:   "messages for webhooks",
	Rescue: "it is set aside, and a new one is made",
	Steps:  []string{schema},
	Conns:  2,
}

// The tables. Times are microseconds since 1970; 0 is never.
const schema = `
CREATE TABLE webhook (
	place    TEXT NOT NULL,              -- the folder of the configuration that has it
	id       TEXT NOT NULL,
	failures INTEGER NOT NULL DEFAULT 0, -- in a row; 0: it answers
	since    INTEGER NOT NULL DEFAULT 0, -- when the first of them was
	next     INTEGER NOT NULL DEFAULT 0, -- when it may be tried again, if there are any
	error    TEXT NOT NULL DEFAULT '',   -- the last
	lost     INTEGER NOT NULL DEFAULT 0, -- since when its configuration has it no more
	waiting  INTEGER NOT NULL DEFAULT 0, -- its messages, kept by the triggers below
	bytes    INTEGER NOT NULL DEFAULT 0, -- of their bodies
	refused  INTEGER NOT NULL DEFAULT 0, -- messages for which there was no room
	dropped  INTEGER NOT NULL DEFAULT 0, -- messages that were given up
	PRIMARY KEY (place, id)
) WITHOUT ROWID;

CREATE TABLE message (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	place   TEXT NOT NULL,
	webhook TEXT NOT NULL,
	id      TEXT NOT NULL,              -- the webhook-id
	event   TEXT NOT NULL,
	body    BLOB NOT NULL,
	made    INTEGER NOT NULL,
	tries   INTEGER NOT NULL DEFAULT 0, -- that have failed
	next    INTEGER NOT NULL,           -- when it may be sent
	owner   TEXT NOT NULL DEFAULT '',   -- who sends it, until
	until   INTEGER NOT NULL DEFAULT 0,
	UNIQUE (place, webhook, id)
);
CREATE INDEX message_next ON message (place, webhook, next);
CREATE INDEX message_made ON message (made);
CREATE INDEX message_taken ON message (until) WHERE until > 0;

CREATE TRIGGER message_comes AFTER INSERT ON message BEGIN
	UPDATE webhook SET waiting = waiting + 1, bytes = bytes + length(new.body) WHERE place = new.place AND id = new.webhook;
END;
CREATE TRIGGER message_goes AFTER DELETE ON message BEGIN
	UPDATE webhook SET waiting = waiting - 1, bytes = bytes - length(old.body) WHERE place = old.place AND id = old.webhook;
END;
`
