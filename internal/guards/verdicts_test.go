package guards

import (
	"testing"

	"github.com/hookway/hookway/facts"
)

// Each line comes to the strictest verdict of all rules.
func TestVerdicts(t *testing.T) {
	for line, want := range map[string]Verdict{
		// A quote that does not end: no shell runs any of it, whatever it says.
		"echo 'no end":             "",
		`grep "rm -rf / x`:         "",
		"rm -rf ~ 'no end":         Block,
		"echo $'a\\'; rm -rf ~":    Ask,
		"ls\necho 'no end":         Ask,
		`echo "v${Date.now()}"`:    "",
		`rm -rf ~ "${Date.now()}"`: Block,
		`echo "${a.b($(rm x))}"`:   Ask,
		// git refuses what is told of no place, and reads the words of options.
		"git restore --no-staged a.go":                        "",
		"git restore -W --no-worktree a.go":                   "",
		"git restore -W --no-staged a.go":                     Ask,
		"git restore a.go":                                    Ask,
		"git checkout --recurse-submodules on-demand x":       "",
		"git checkout --track main a.go":                      Ask,
		"git checkout --track origin/x":                       "",
		"git checkout main a.go":                              Ask,
		"git apply <<'E'\n--- a/.env\n+++ b/.env\nE":          Ask,
		"git apply --check <<'E'\n--- a/.env\n+++ b/.env\nE":  "",
		"patch -p1 <<'E'\n--- a/.env\n+++ b/.env\nE":          Ask,
		"patch -p1 <<'E'\n--- a/x.md\n+++ b/x.md\nE":          "",
		"awk '/DELETE FROM/ {print FILENAME}' *.sql":          "",
		`awk '/x/ {system("rm -rf ~")}' a`:                    Block,
		`awk '{ a = 4 / 2; system("rm -rf ~/" b) }' x`:        Block,
		"sqlite3 /tmp/t.db 'drop table if exists x'":          "",
		"sqlite3 app.db 'drop table x'":                       Ask,
		"sqlite3 /tmp/../home/u/app.db 'drop table x'":        Ask,
		"set | grep -i token":                                 Ask,
		"export -p":                                           Ask,
		"declare -x > /tmp/x":                                 Ask,
		"set -e; declare -f x; export X=1; declare -A m; set": Ask,
		"set -e; declare -f x; export X=1; declare -A m":      "",
		"cat deploy_rsa":                                      Block,
		"cat deploy_rsa.pub":                                  "",
		"cat '.env is no file'":                               "",
	} {
		if got := verdictOf(Everything(), line); got != want {
			t.Errorf("%q: got %q, want %q: %s", line, got, want, show(of(line, world)))
		}
	}
}

// A strict policy asks about names of credentials, and others do not.
func TestStrict(t *testing.T) {
	for line, want := range map[string]Verdict{
		"ls ~/.ssh": Ask, "test -f .env": Ask, "[ -f ~/.ssh/id_rsa ]": Ask, `node -e 'const p = ".env"'`: Ask, `eval "$X"`: Block,
		"ls": "", "node -e 'console.log(process.env.HOME)'": "", "git status": "",
	} {
		if got := verdictOf(Strict(), line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	for _, line := range []string{"ls ~/.ssh", `node -e 'const p = ".env"'`} {
		if got := verdictOf(Everything(), line); got != "" {
			t.Errorf("%q: a policy that is not strict says %q", line, got)
		}
		packs := &Policy{Packs: Names(), Mode: Enforce, Rules: map[string]Setting{"secrets": {Verdict: Block}}}
		if got := verdictOf(packs, line); got != "" {
			t.Errorf("%q: a setting of the whole pack says %q", line, got)
		}
		one := &Policy{Packs: Names(), Mode: Enforce, Rules: map[string]Setting{"secrets/names": {Verdict: Ask}}}
		if got := verdictOf(one, line); got != Ask {
			t.Errorf("%q: the rule is on by its name, and says %q", line, got)
		}
	}
}

func verdictOf(p *Policy, line string) Verdict {
	if found := p.Judge(facts.Shell(line, world)); len(found) > 0 {
		return found[0].Verdict
	}
	return ""
}
