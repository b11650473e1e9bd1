package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets this test binary be bench when it is called by that name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"bench": func() { os.Exit(newProgram().run(context.Background(), os.Args[1:])) },
	})
}

// TestStories runs every story in testdata/script: each is a folder of files and
// the commands that are run in it.
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), RequireUniqueNames: true})
}
