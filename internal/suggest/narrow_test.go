package suggest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.plan.Root, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestASubCommandThatWasRefusedIsCaught, also where the program is let run otherwise, or
// where what it does is often done by others.
func TestASubCommandThatWasRefusedIsCaught(t *testing.T) {
	for name, c := range map[string]struct {
		makefile, fine, want string
	}{
		"its rule is not known":       {"", "make test", "catch ask-make-clean"},
		"it deletes, as nobody else":  {"clean:\n\trm -rf build\n", "make test", "catch ask-rm"},
		"it deletes, as others do":    {"clean:\n\trm -rf build\n", "rm -rf build", "catch ask-make-clean"},
		"the makefile holds variable": {"clean:\n\t$(RM) -r $(OUT)\n", "make test", "catch ask-make-clean"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.plan.Policy = everything()
			if c.makefile != "" {
				w.write("Makefile", c.makefile)
			}
			for n := 1; n <= 3; n++ {
				w.answer(false, day(n), fmt.Sprint("no-", n), "make clean")
			}
			for n := 1; n <= 8; n++ {
				w.answer(true, day(n), fmt.Sprint("yes-", n), c.fine)
			}
			r := w.report()
			if got := ids(r); !slices.Contains(got, c.want) {
				t.Errorf("got %q, want %s", got, c.want)
			}
			catches := slices.DeleteFunc(ids(r), func(id string) bool { return !strings.HasPrefix(id, "catch") })
			if len(catches) != 1 {
				t.Errorf("it is caught by %q", catches)
			}
		})
	}
}

// TestNoScriptIsSuggestedToBeAllowed: what it holds may be another thing tomorrow. (What a
// shell's script does is among the facts, and the rule holds for these alone.)
func TestNoScriptIsSuggestedToBeAllowed(t *testing.T) {
	w := newWorld(t)
	w.write("script.py", "print(1)\n")
	for _, command := range []string{"python script.py", "python3 -u ./script.py", "./tool", "sh gone.sh", "node app.js", "ruby x.rb"} {
		w.habit(command)
	}
	if got := ids(w.report()); len(got) > 0 {
		t.Errorf("suggested: %q", got)
	}
}

// TestASuggestionIsCalledByWhatItIsAbout: the program, its sub-command and the host, and no
// whole command or address.
func TestASuggestionIsCalledByWhatItIsAbout(t *testing.T) {
	w := newWorld(t)
	for _, command := range []string{"curl -s https://api.example.com/v1/users?page=1", "cat notes/today.txt", "go test ./...", "tool https://x.example/a/b"} {
		w.habit(command)
	}
	var got []string
	for _, s := range w.report().Suggestions {
		got = append(got, s.Title, s.ID)
		got = append(got, s.Samples...)
	}
	told := strings.Join(got, "\n")
	if strings.Contains(told, "page=1") || strings.Contains(told, "x.example/a") {
		t.Errorf("an address stands in\n%s", told)
	}
	for _, want := range []string{"allow curl api.example.com without asking", "allow-curl-api-example-com", "curl -s https://api.example.com/…", "allow go test without asking"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, told)
		}
	}
}

// TestWhatWasStoppedOutsideCountsByItsFolder: another file of the folder is caught, too.
func TestWhatWasStoppedOutsideCountsByItsFolder(t *testing.T) {
	w := newWorld(t)
	for n := 1; n <= 3; n++ {
		w.answer(false, day(n), fmt.Sprint("no-", n), fmt.Sprintf("touch /srv/shop/data/f%d", n))
	}
	w.answer(true, day(4), "yes", "ls")
	r := w.report()
	if len(r.Suggestions) != 1 || !strings.Contains(r.Suggestions[0].YAML, `hasPrefix(.path, "/srv/shop/data/")`) {
		t.Errorf("got %+v", r.Suggestions)
	}
}
