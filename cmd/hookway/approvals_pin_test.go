package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/pin"
)

// An agent that puts an empty file beside the one that requires the PIN gains nothing.
func TestAPINIsAskedForWhileTheFileThatRequiresItIsNotRead(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string {
		return map[string]string{"HOOKWAY_HOME": home, "HOME": home}[name]
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "config", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	a := appWith(nil, &said, &said, getenv)
	a.dir = t.TempDir()
	a.home.Managed = config.Managed{Dir: filepath.Join(home, "etc")}
	requires := func(want bool) {
		t.Helper()
		if got, err := a.home.RequiresPIN(t.Context()); err != nil || got != want {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	write("hookway.yml", "approvals: {require: pin}\n")
	requires(true)
	write("hookway.yaml", "")
	requires(false) // there is none to ask for
	if said.Len() > 0 {
		t.Errorf("it says %s", &said)
	}
	dir, err := a.home.ApprovalsDir()
	if err != nil {
		t.Fatal(err)
	}
	store, err := pin.Open(t.Context(), dir, pin.Options{Cost: pin.Cost{Passes: 1, Memory: 64, Threads: 1}})
	if err == nil {
		err = store.Set(t.Context(), "k7-qx4-pp")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	requires(true)
	if !strings.Contains(said.String(), "hookway.yml does not count as it stands") {
		t.Errorf("it says %s", &said)
	}
}
