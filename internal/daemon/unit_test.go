package daemon

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func getenv(environ map[string]string) func(string) string {
	return func(name string) string { return environ[name] }
}

func TestUnits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is none")
	}
	const program = `/opt/50% "odd" \ & <here>/hookway`
	env := map[string]string{"HOME": "/home/alice", "HOOKWAY_HOME": "/srv/a b"}
	u, err := UnitFor("linux", program, []string{"--tls-key", "/home/a b/$key%"}, getenv(env))
	if err != nil {
		t.Fatal(err)
	}
	if want := "/home/alice/.config/systemd/user/hookway.service"; u.Path != want {
		t.Errorf("it is at %s", u.Path)
	}
	for _, line := range []string{
		`ExecStart="/opt/50%% \"odd\" \\ & <here>/hookway" serve --replace --idle 0 --tls-key "/home/a b/$$key%%"`, `Environment="HOOKWAY_HOME=/srv/a b"`,
	} {
		if !strings.Contains(u.Text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, u.Text)
		}
	}
	u, err = UnitFor("darwin", program, []string{"--listen", "127.0.0.1:8787"}, getenv(env))
	if err != nil {
		t.Fatal(err)
	}
	var strs []string
	for d := xml.NewDecoder(strings.NewReader(u.Text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "string" {
			var s string
			if err := d.DecodeElement(&s, &e); err != nil {
				t.Fatal(err)
			}
			strs = append(strs, s)
		}
	}
	if got, want := strings.Join(strs, "|"), "hookway.daemon|"+program+"|serve|--replace|--idle|0|--listen|127.0.0.1:8787|/srv/a b"; got != want {
		t.Errorf("the list says %s, want %s", got, want)
	}
	for name, call := range map[string]func() (Unit, error){
		"an unknown system":    func() (Unit, error) { return UnitFor("plan9", program, nil, getenv(env)) },
		"no home":              func() (Unit, error) { return UnitFor("linux", program, nil, getenv(nil)) },
		"a line in the middle": func() (Unit, error) { return UnitFor("linux", "/opt/a\nExecStart=/b", nil, getenv(env)) },
	} {
		if u, err := call(); err == nil {
			t.Errorf("%s gives %+v", name, u)
		}
	}
}

func TestInstallAndUninstall(t *testing.T) {
	dir := t.TempDir()
	u := Unit{Path: filepath.Join(dir, "units", "hookway.service"), Text: "one", Links: []string{filepath.Join(dir, "link")}}
	for _, want := range []bool{true, false} {
		if changed, err := u.Install(); err != nil || changed != want {
			t.Errorf("install: %v, %v; want %v", changed, err, want)
		}
	}
	u.Text = "two"
	if changed, err := u.Install(); err != nil || !changed {
		t.Errorf("another text: %v, %v", changed, err)
	}
	if text, err := os.ReadFile(u.Path); err != nil || string(text) != "two" {
		t.Errorf("it holds %q, %v", text, err)
	}
	write(t, u.Links[0], "")
	for _, want := range []bool{true, false} {
		if changed, err := u.Uninstall(); err != nil || changed != want {
			t.Errorf("uninstall: %v, %v; want %v", changed, err, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "units", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
