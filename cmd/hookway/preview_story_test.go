package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
)

// database makes a database of statements: database FILE STATEMENTS.
func database(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: database FILE STATEMENTS")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(db.Close())
}
