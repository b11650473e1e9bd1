package guards

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if got := standsIn(&judged[0].Fact, found, line, dir); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", line, got, want)
		}
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
