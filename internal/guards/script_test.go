package guards

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// A refusal of a call that runs a script says where in it the act stands.
func TestAnActInAScriptIsFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x.sh":      "#!/bin/sh\necho hi\n\nif true; then\n  rm -rf /opt/work # gone\nfi\n",
		"outer.sh":  "# calls another\ncd .\nsh x.sh\n",
		"empties":   "#!/bin/sh\n\n> /etc/hosts\n",
		"x.py":      "import shutil\nshutil.rmtree('/opt/work')\n",
		"harmless":  "#!/bin/sh\necho rm -rf /opt/work\n",
		"latin1.sh": "# \xe4\nrm -rf /opt/work\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"sh x.sh":                         " It stands in x.sh, line 5: `rm -rf /opt/work # gone`.",
		"cd . && bash -e ./x.sh now":      " It stands in x.sh, line 5: `rm -rf /opt/work # gone`.",
		"./x.sh":                          " It stands in x.sh, line 5: `rm -rf /opt/work # gone`.",
		"sh outer.sh":                     " It stands in outer.sh, line 3: `sh x.sh`.",
		"./empties":                       " It stands in empties, line 3: `> /etc/hosts`.",
		"python3 x.py":                    " It stands in x.py.",
		"rm -rf /opt/work":                "",
		"rm -rf /opt/work; sh harmless":   "",
		"sh harmless > /etc/hosts":        "",
		"rm -rf /opt/work; ./harmless":    "",
		"bash -c 'rm -rf /opt/work'":      "",
		"sh -c 'sh x.sh'":                 " It stands in x.sh, line 5: `rm -rf /opt/work # gone`.",
		"sh gone.sh; rm -rf /opt/work":    "",
		"sh harmless && rm -rf /opt/work": "",
	} {
		found := facts.Shell(line, World(dir, []string{"HOME=/home/u"}))
		judged := Everything().Judge(found)
		if len(judged) == 0 || judged[0].Verdict != Block {
			t.Errorf("%s is not stopped: %+v", line, judged)
			continue
		}
		if got := standsIn(t.Context(), &judged[0].Fact, found, line, dir); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", line, got, want)
		}
	}
}

// Where an act stands is said only if there is time to find it, and no mistake in finding
// it is anybody else's. Scripts of other languages are not read as a shell's.
func TestWhereAnActStandsChangesNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.sh", "x.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\n\nrm -rf /opt/work\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const line = "sh x.sh"
	found := facts.Shell(line, World(dir, []string{"HOME=/home/u"}))
	judged := Everything().Judge(found)
	if len(judged) == 0 {
		t.Fatal("it is not stopped")
	}
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	for name, got := range map[string]string{
		"no time": standsIn(over, &judged[0].Fact, found, line, dir),
		"a bug":   standsIn(t.Context(), nil, found, line, dir),
	} {
		if got != "" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	act := hook.Fact{Does: "delete", Path: "/opt/work", By: "rm", At: hook.Span{From: 0, To: 12}, Sure: true}
	runs := hook.Fact{Does: "execute", From: "file", Language: "python", Path: filepath.Join(dir, "x.py"), At: act.At}
	if got, want := standsIn(t.Context(), &act, []hook.Fact{act, runs}, "python3 x.py", dir), " It stands in x.py."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatARedirectionDoesIsSaid(t *testing.T) {
	for line, want := range map[string]string{
		"> /etc/hosts":        "a redirection would empty /etc/hosts, which lies outside the project.",
		": > /etc/hosts":      "a redirection would empty /etc/hosts, which lies outside the project.",
		"echo x > /etc/hosts": "a redirection would write /etc/hosts, a file of the system.",
		"rm /etc/hosts":       "rm would delete /etc/hosts, which lies outside the project.",
	} {
		judged := Everything().Judge(facts.Shell(line, world))
		if len(judged) == 0 || judged[0].Says() != want {
			t.Errorf("%s: %+v", line, judged)
		}
		for _, j := range judged {
			if strings.Contains(j.Says(), "something would") {
				t.Errorf("%s: %s", line, j.Says())
			}
		}
	}
	f := hook.Fact{Does: "connect", Host: "x"}
	if says := (Judged{Rule: &Rule{Says: "{by} would connect to {host}."}, Fact: f}).Says(); says != "something would connect to x." {
		t.Error(says)
	}
}
