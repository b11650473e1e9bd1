package main

import "github.com/rogpeppe/go-internal/testscript"

func typed(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("there are no terminals here") }

func codeFrom(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there are no terminals here")
}

func converse(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there are no terminals here")
}
