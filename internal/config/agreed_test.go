package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/trust"
)

const fetching = `export default { patterns: { notify: async (target) => { await fetch("http://127.0.0.1:1/" + target); } } };
`

// grantsOf lists what the hooks of a set may do.
func grantsOf(s *Set) string {
	var out []string
	for _, h := range s.Hooks {
		out = append(out, h.ID+fmt.Sprint(h.Grants))
	}
	return strings.Join(out, ", ")
}

func (w *world) wantGrants(want string) {
	w.t.Helper()
	if got := grantsOf(w.load()); got != want {
		w.t.Errorf("the hooks may %s, want %s", got, want)
	}
}

func TestWhatTrustSawInAScriptIsGrantedUntilAFileOfItChanges(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("relay.config.ts"), `import { name } from "./name"; export default { patterns: { [name]: async () => { await exec("true"); } } };`)
	w.write(w.work("name.ts"), `export const name = "deploy";`)
	w.wantGrants("relay.config.ts[]") // nobody was asked

	var asked []trust.Wish
	no := fmt.Errorf("no")
	if _, err := TrustIf(w.options(), func(s trust.Status) error { asked = s.Wishes; return no }); err != no {
		t.Fatalf("got %v, want %v", err, no)
	}
	if got := fmt.Sprint(asked); got != "[{script relay.config.ts [exec] [exec] [exec]}]" {
		t.Errorf("asked %s", got)
	}
	w.wantGrants("relay.config.ts[]")

	w.trust()
	w.wantGrants("relay.config/@deploy[exec]")
	again, err := TrustIf(w.options(), nil)
	w.must(err)
	if len(again.Wishes) != 1 || again.Wishes[0].More != nil {
		t.Errorf("asked again: %v", again.Wishes)
	}

	w.write(w.work("name.ts"), `export const name = "other";`)
	w.wantGrants("relay.config.ts[]")
	w.env["HOOKWAY_TRUST"] = "1" // which asks nobody
	w.wantGrants("relay.config/@other[]")
	delete(w.env, "HOOKWAY_TRUST")
	w.trust()
	w.wantGrants("relay.config/@other[exec]")
	if _, _, err := Untrust(w.options()); err != nil {
		t.Fatal(err)
	}
	w.wantGrants("relay.config.ts[]")
}

// What somebody wrote down goes before what is seen, also nothing.
func TestAnAllowThatIsWrittenGoesBeforeWhatIsSeen(t *testing.T) {
	for name, c := range map[string]struct{ file, yaml, want string }{
		"beside the script, less": {fetching + `export const x = () => exec("ls");`, "allow: [net]", "seed[net]"},
		"in the file, none":       {"export const allow = [];\n" + fetching, "", "seed[]"},
		"in the file, less":       {"export const allow = [\"net\"];\n" + fetching + `export const x = () => exec("ls");`, "", "seed[net]"},
		"nowhere":                 {fetching, "", "seed[net]"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.work("seed.ts"), c.file)
			w.write(w.work("hookway.yaml"), "hooks:\n  - {id: seed, script: seed.ts, "+c.yaml+"}\n")
			w.trust()
			w.wantGrants(c.want)
		})
	}
}

// Two hooks of one file: what is seen in it is not what the other was given.
func TestWhatIsSeenIsNoMoreForAnothersGrants(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("one.ts"), `const run = globalThis[["ex", "ec"].join("")]; export default () => run("ls");`)
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: a, on: Idle, script: one.ts, allow: [exec]}\n  - {id: b, on: Idle, script: one.ts}\n")
	w.trust()
	w.wantGrants("a[exec], b[]")
}

func TestOwnScriptsMayDoWhatTheUserAgreedTo(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.config.ts"), fetching)
	w.wantGrants("hookway.config/@notify[]")
	status, err := TrustOwn(w.options(), nil)
	w.must(err)
	if got := fmt.Sprint(status.Wishes); got != "[{script hookway.config.ts [net] [net] [net]}]" {
		t.Errorf("asked %s", got)
	}
	w.wantGrants("hookway.config/@notify[net]")
	status, err = TrustOwn(w.options(), nil)
	w.must(err)
	if len(status.Wishes) != 1 || status.Wishes[0].More != nil {
		t.Errorf("asked again: %v", status.Wishes)
	}
	w.write(w.user("hookway.config.ts"), fetching+"// more\n")
	w.wantGrants("hookway.config/@notify[]")
	_, err = TrustOwn(w.options(), nil)
	w.must(err)
	w.wantGrants("hookway.config/@notify[net]")
	was, err := UntrustOwn(w.options())
	w.must(err)
	if !was {
		t.Error("there was no trust")
	}
	w.wantGrants("hookway.config/@notify[]")
}
