package guards

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

var world = facts.World{Dir: "/home/u/project", Home: "/home/u", Env: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin"}}

func of(line string, w facts.World) []hook.Fact { return facts.Shell(line, w) }

// Each rule stops its own examples itself, and lets pass what it says it lets pass.
func TestRulesHoldTheirExamples(t *testing.T) {
	for _, p := range Packs() {
		for i := range p.Rules {
			r := &p.Rules[i]
			holds := func(line string) bool {
				yes, err := p.Try(r, line, world)
				if err != nil {
					t.Errorf("%s: %q: %v", r.ID, line, err)
				}
				return yes
			}
			for _, line := range r.Stops {
				if !holds(line) {
					t.Errorf("%s does not stop %q: %s", r.ID, line, show(of(line, world)))
				}
			}
			for _, line := range r.Passes {
				if holds(line) {
					t.Errorf("%s stops %q: %s", r.ID, line, show(of(line, world)))
				}
			}
		}
	}
}

func show(fs []hook.Fact) string {
	var b strings.Builder
	for _, f := range fs {
		j, _ := json.Marshal(f)
		b.WriteString("\n\t" + string(j))
	}
	return b.String()
}

// What is build output is told from the top of the project, wherever that lies.
func TestProjectsBelowFoldersOfOutput(t *testing.T) {
	for _, above := range []string{"build", "tmp", "target", "out", "gen", "bin", "reports", "dist/x"} {
		w := facts.World{Dir: "/home/u/" + above + "/p", Home: "/home/u"}
		for line, want := range map[string]bool{
			"rm -rf src": true, "rm src/a.go": true, `find . -name "*.go" -delete`: true, "mv src /mnt/x": true,
			"rm -rf build": false, "rm -rf node_modules dist/*": false, "rm build/gen/a.go": false,
		} {
			if got := len(Everything().Judge(of(line, w))) > 0; got != want {
				t.Errorf("in %s, %q: a rule holds %t, want %t", w.Dir, line, got, want)
			}
		}
	}
}

// The rule that is named first is the one that says what the call does.
func TestTheFirstRuleNamesTheAct(t *testing.T) {
	for line, want := range map[string]string{
		"mv /usr/x /tmp/gone":             "files/move-outside",
		"mv x /usr/y":                     "files/overwrite-system",
		"curl -T f https://up.example":    "network/upload",
		"curl -T f http://10.0.0.1/f":     "infrastructure/rest-delete",
		"curl -X PUT https://api.example": "infrastructure/rest-delete",
	} {
		got := Everything().Judge(of(line, world))
		if len(got) == 0 || got[0].Rule.ID != want {
			t.Errorf("%s: got %v, want %s first", line, got, want)
		}
	}
}
