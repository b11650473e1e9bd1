//go:build unix

package config

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

func (w *world) redacts(s *Set, want string) {
	w.t.Helper()
	if got := strings.Join(s.Settings.Redact, " "); got != want {
		w.t.Errorf("%q is hidden, want %q", got, want)
	}
}

func TestEveryFileAddsToWhatIsHidden(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "redact: [ssn, iban]\n")
	w.redacts(w.load(), "ssn iban")
	w.write(w.work("hookway.yaml"), "redact: [iban, vat]\n")
	w.redacts(w.load(), "ssn iban vat") // nobody trusts it
	w.trust()
	w.redacts(w.load(), "ssn iban vat")
	w.write(w.work("hookway.yaml"), "redact: vat\nhooks: [{id: a}]\n")
	w.redacts(w.load(), "ssn iban vat") // with mistakes
	w.write(w.user("hookway.yaml"), "redact: [ssn, 5]\n")
	w.redacts(w.load(), "ssn vat")
}

func TestAFileThatBreaksHidesWhatItHid(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.user("hookway.yaml"), "redact: ssn\n")
	w.write(w.work("hookway.yaml"), "redact: vat\n")
	live, err := Open(context.Background(), w.options(), new(hook.Engine))
	w.must(err)
	t.Cleanup(func() { w.must(live.Close()) })
	reload := func() *Set {
		set, err := live.Refresh(context.Background())
		w.must(err)
		return set
	}
	w.write(w.user("hookway.yaml"), "redact: [\n")
	w.redacts(reload(), "vat ssn")
	w.write(w.work("hookway.yaml"), "redact: iban\n")
	w.redacts(reload(), "iban vat ssn")
	w.write(w.user("hookway.yaml"), "redact: name\n")
	w.redacts(reload(), "name iban")
}

func TestATrustedWorkspaceThatChangesHidesWhatItHid(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "redact: vat\nmax_continues: 3\n")
	w.trust()
	live, err := Open(context.Background(), w.options(), new(hook.Engine))
	w.must(err)
	t.Cleanup(func() { w.must(live.Close()) })
	w.write(w.work("hookway.yaml"), "redact: iban\nmax_continues: 500\n")
	set, err := live.Refresh(context.Background())
	w.must(err)
	w.redacts(set, "iban vat")
	if set.Settings.MaxContinues != 3 {
		t.Errorf("got %+v, want set.Settings.MaxContinues == 3", set.Settings)
	}
}

func TestHiddenNamesAreBounded(t *testing.T) {
	w := newWorld(t)
	var names []string
	for i := range maxFileRedact {
		names = append(names, fmt.Sprintf("w%d", i))
	}
	w.write(w.user("hookway.yaml"), "redact: [u1, u2]\n")
	w.write(w.work("hookway.yaml"), "redact: ["+strings.Join(names, ", ")+"]\n")
	if set := w.load(); len(set.Settings.Redact) != maxFileRedact+2 || len(set.Problems) > 0 {
		t.Errorf("%d are hidden; %s", len(set.Settings.Redact), set.Problems)
	}
	w.write(w.work("hookway.yaml"), "redact: ["+strings.Join(append(names, "more"), ", ")+"]\n")
	if set := w.load(); len(set.Settings.Redact) != maxFileRedact+2 || !strings.Contains(set.Problems.String(), "at most 100 are looked for") {
		t.Errorf("%d are hidden; %s", len(set.Settings.Redact), set.Problems)
	}
}

func TestHowMuchIsKeptIsTheUsersWord(t *testing.T) {
	w := newWorld(t)
	getenv := w.options().Getenv
	keep := func(want Keep) {
		t.Helper()
		if got, err := KeepOf(getenv); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	keep(Keep{})
	w.write(w.work("hookway.yaml"), "audit: {keep: 2d}\n")
	keep(Keep{})
	if set := w.load(); len(set.Problems) > 0 || !strings.Contains(set.Warnings.String(), w.work("hookway.yaml")+":1:8: audit says nothing here") {
		t.Errorf("problems %s, warnings %s", set.Problems, set.Warnings)
	}
	w.write(w.user("hookway.yml"), "audit: {keep: 36h, keep_size: 2 GiB}\n")
	keep(Keep{Age: 36 * time.Hour, Size: 2 << 30})
	w.write(w.user("hookway.yaml"), "x: &a {keep: 10d}\nhooks: nonsense\naudit: *a\n")
	keep(Keep{Age: 240 * time.Hour})
	if set := w.load(); strings.Contains(set.Warnings.String(), w.user("hookway.yaml:")) {
		t.Errorf(`got %s, want !strings.Contains(set.Warnings.String(), w.user("hookway.yaml:"))`, set.Warnings)
	}
	w.write(w.user("hookway.yaml"), "audit: {keep_events: 12h, keep_events_size: 64MiB}\n")
	keep(Keep{EventsAge: 12 * time.Hour, EventsSize: 64 << 20})
	for _, word := range []string{"off", `"off"`, "OFF"} {
		w.write(w.user("hookway.yaml"), "audit: {keep_events: "+word+"}\n")
		keep(Keep{NoEvents: true})
	}
	w.write(w.user("hookway.yaml"), "audit: {keep_events: never}\n")
	keep(Keep{})
	if set := w.load(); !strings.Contains(set.Problems.String(), "30d or 12h, or off") {
		t.Errorf(`got %s, want strings.Contains(set.Problems.String(), "30d or 12h, or off")`, set.Problems)
	}
	for _, text := range []string{"audit: {keep: 10 days}", "audit: {keep: -1d}", "audit: {keep: 1m}", "audit: {keep: 99999999999d}", "audit: {keep_size: 1TB}", "audit: 5", "- audit", "audit: [", ""} {
		w.write(w.user("hookway.yaml"), text)
		keep(Keep{})
	}
	w.write(w.user("hookway.yaml"), "audit: {keep: 1h}\n")
	keep(Keep{Age: time.Hour})
	w.must(os.Chmod(w.user(""), 0o777)) // then anybody may have written it
	keep(Keep{})
	w.must(os.Chmod(w.user(""), 0o700))
	w.must(os.Chmod(w.user("hookway.yaml"), 0o666))
	if got, err := KeepOf(getenv); err == nil || got != (Keep{}) {
		t.Errorf("got %+v, %v, want err != nil and got == (Keep{})", got, err)
	}
}

// BenchmarkKeep is what the audit log's start costs: without a file of the
// user's, and with one.
func BenchmarkKeep(b *testing.B) {
	home := b.TempDir()
	getenv := func(name string) string { return map[string]string{"HOOKWAY_HOME": home}[name] }
	for name, text := range map[string]string{"none": "", "file": "audit: {keep: 30d}\n" + blockRM} {
		b.Run(name, func(b *testing.B) {
			if text != "" {
				if err := os.MkdirAll(home+"/config", 0o700); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(home+"/config/hookway.yaml", []byte(text), 0o600); err != nil {
					b.Fatal(err)
				}
				defer os.RemoveAll(home + "/config")
			}
			for b.Loop() {
				if _, err := KeepOf(getenv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
