package facts

import (
	"io/fs"
	"strings"
	"testing"
)

// Only ssh's own options name its configuration: those of what runs behind it do not.
func TestWhichConfigurationSSHReads(t *testing.T) {
	w := withFiles(map[string]string{
		"/home/u/.ssh/config": "Host box\n  HostName own.example\n",
		"/home/u/other":       "Host box\n  HostName other.example\n",
		"/home/u/project/f":   "text",
	})
	for line, want := range map[string]string{
		"ssh -F /home/u/other box":                     "box, other.example",
		"ssh -F/home/u/other box":                      "box, other.example",
		"ssh -vF /home/u/other box":                    "box, other.example",
		"ssh box -F /home/u/other id":                  "box, other.example", // ssh goes on to read them
		"ssh -o User=x -F ../other box":                "box, other.example",
		"ssh -l -F box grep -F x /etc/hosts":           "box, own.example", // the user is called so
		"ssh box grep -F /home/u/other f":              "box, own.example",
		"ssh box id -F /home/u/other":                  "box, own.example",
		"ssh -- box -F /home/u/other":                  "box, own.example",
		"ssh -F /dev/null box":                         "box",
		"rsync -a -F f box:/srv":                       "box < file:/home/u/project/f, own.example < file:/home/u/project/f",
		"rsync -ae 'ssh -F /home/u/other' f box:/srv":  "box < file:/home/u/project/f, other.example < file:/home/u/project/f",
		"rsync --rsh='ssh -F /home/u/other' f box:/x":  "box < file:/home/u/project/f, other.example < file:/home/u/project/f",
		"scp -F /home/u/other f box:/tmp":              "box < file:/home/u/project/f, other.example < file:/home/u/project/f",
		"scp -P 22 -F /home/u/other f box:/tmp":        "box:22 < file:/home/u/project/f, other.example < file:/home/u/project/f",
		"sudo ssh -F /home/u/other box":                "box, other.example",
		"git -c x.y=-F clone git@box:a/b.git -F other": "box, own.example",
	} {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// Where a configuration cannot be known, it is said so.
func TestConfigurationsOfSSHThatAreNotKnown(t *testing.T) {
	w := withFiles(map[string]string{"/home/u/.ssh/config": "Host x\n  HostName y.example\nHost far\n  Include d/*/x\n", "/home/u/mine": "Host x\n"})
	list := w.ReadDir
	w.ReadDir = func(name string) ([]string, error) {
		if name == "/home/u/.ssh/d" {
			return nil, fs.ErrPermission
		}
		return list(name)
	}
	for line, want := range map[string]string{
		"ssh -F /home/u/none x":  "the configuration /home/u/none of ssh cannot be read",
		"ssh -F \"$WHERE\" x":    "which configuration ssh reads shows only when it runs",
		"ssh -F <(cat /etc/a) x": "which says where ssh leads",
		"printf 'Host x\\n HostName evil.example' > c; ssh -F c x":             "the line itself writes /home/u/project/c",
		"cp /tmp/a ~/.ssh/config && ssh x":                                     "the line itself writes /home/u/.ssh/config",
		"curl -o /home/u/mine https://a.example/c; scp -F /home/u/mine a x:/b": "the line itself writes /home/u/mine",
		"ssh x":                 "an Include of ssh's configuration cannot be looked at",
		"ssh -F /home/u/mine x": "",
		"ssh -F none x":         "",
		"ssh -F /home/u/mine x; echo > /home/u/mine": "",
	} {
		var got []string
		for _, f := range Shell(line, w) {
			if f.Does == "unknown" {
				got = append(got, f.Because)
			}
		}
		told := strings.Join(got, "; ")
		if want == "" && told != "" || !strings.Contains(told, want) {
			t.Errorf("%s: unknown is %q, want %q", line, got, want)
		}
	}
}

// Match goes by the name that HostName has made; originalhost by the one that was given.
func TestMatchesOfSSH(t *testing.T) {
	w := withFiles(map[string]string{"/home/u/.ssh/config": `
Host a b
  HostName %h.corp.example
Match host *.corp.example
  ProxyJump jump.example
Match originalhost c
  HostName c.example
Match host c
  ProxyJump never.example
Match exec "test -e host b,x" host d
  HostName perhaps.example
Match host perhaps.example
  ProxyJump maybe.example
Match originalhost="e" all
  HostName=e.example
`})
	for line, want := range map[string]string{
		"ssh a": "a, a.corp.example, jump.example", "ssh c": "c, c.example", "ssh d": "d, maybe.example, perhaps.example", "ssh e": "e, e.example", "ssh f": "f",
	} {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// A star may stand in a folder of a path that is included.
func TestIncludesOfSSH(t *testing.T) {
	w := withFiles(map[string]string{
		"/home/u/.ssh/config": "Include d/*/x\nInclude ~/e*/[ab].conf\n", "/home/u/.ssh/d/1/x": "Host one\n HostName one.example\n", "/home/u/.ssh/d/2/x": "Host two\n HostName two.example\n",
		"/home/u/.ssh/d/.3/x": "Host three\n HostName three.example\n", "/home/u/e1/a.conf": "Host four\n HostName four.example\n",
	})
	list := w.ReadDir
	w.ReadDir = func(name string) ([]string, error) {
		switch name {
		case "/home/u/.ssh/d":
			return []string{".3", "1", "2"}, nil
		case "/home/u":
			return []string{".ssh", "e1", "f"}, nil
		}
		return list(name)
	}
	for line, want := range map[string]string{"ssh one": "one, one.example", "ssh two": "two, two.example", "ssh three": "three", "ssh four": "four, four.example"} {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// What ssh runs to reach a machine is run by the line.
func TestWhatSSHRuns(t *testing.T) {
	w := withFiles(map[string]string{"/home/u/.ssh/config": `
Host box
  HostName inner.example
  Port 2200
  ProxyCommand nc -X connect -x proxy.example:3128 %h %p
  ProxyJump never.example
Host clean
  ProxyCommand none
Host local
  PermitLocalCommand yes
  LocalCommand rm -rf /srv/%n
Host not
  LocalCommand rm -rf /srv/%n
Host again
  ProxyCommand ssh -W %h:%p again
Match originalhost guess exec "rm -rf /srv/guess"
`})
	for line, want := range map[string]string{
		"ssh box id": "nc", "ssh clean id": "", "ssh local": "rm", "ssh not": "", "scp a box:/b": "nc", "ssh guess": "rm",
	} {
		facts := Shell(line, w)
		got := ""
		for _, f := range facts {
			if f.Does == "run" && (f.Program == "nc" || f.Program == "rm") {
				got = f.Program
				if f.Sure == (line == "ssh guess") {
					t.Errorf("%s: got %+v; only what Match runs is not sure", line, f)
				}
			}
		}
		if got != want {
			t.Errorf("%s: got %+v, want %q to be run", line, facts, want)
		}
	}
	got := strings.Join(called(Shell("ssh box", w)), ", ")
	if !strings.Contains(got, "proxy.example:3128") || strings.Contains(got, "never") {
		t.Errorf("got %s, want the proxy of nc, and no jump", got)
	}
	if got := len(Shell("ssh again", w)); got == 0 || got > 100 {
		t.Errorf("a proxy that runs itself: %d facts", got)
	}
}
