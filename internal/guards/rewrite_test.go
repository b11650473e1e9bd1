package guards

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
)

func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func double(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}

func code(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "$", `\x24`, "#", `\x23`, "@", `\x40`).Replace(s) + `"`
}

// rewritings say the same in other words. Each gets a line of a shell; "" means that
// this line cannot be said so.
var rewritings = map[string]func(string) string{
	"bash -c":         func(l string) string { return "bash -c " + single(l) },
	"sh -c, doubled":  func(l string) string { return "sh -c " + double(l) },
	"twice nested":    func(l string) string { return "bash -c " + single("sh -c "+single(l)) },
	"eval":            func(l string) string { return "eval " + single(l) },
	"env":             func(l string) string { return "env A=b bash -c " + single(l) },
	"nice":            func(l string) string { return "nice -n 5 sh -c " + single(l) },
	"timeout":         func(l string) string { return "timeout -k 5 10s bash -c " + single(l) },
	"nohup":           func(l string) string { return "nohup sh -c " + single(l) + " &" },
	"setsid":          func(l string) string { return "setsid -w sh -c " + single(l) },
	"sudo":            func(l string) string { return "sudo -n bash -c " + single(l) },
	"and":             func(l string) string { return "true && " + l },
	"or":              func(l string) string { return "false || " + l },
	"before":          func(l string) string { return l + "; true" },
	"subshell":        func(l string) string { return "(" + l + ")" },
	"block":           func(l string) string { return "{ " + l + "; }" },
	"if":              func(l string) string { return "if true; then " + l + "; fi" },
	"else":            func(l string) string { return "if false; then :; else " + l + "; fi" },
	"for":             func(l string) string { return "for i in 1; do " + l + "; done" },
	"while":           func(l string) string { return "while :; do " + l + "; break; done" },
	"case":            func(l string) string { return "case x in x) " + l + ";; esac" },
	"function":        func(l string) string { return "f() { " + l + "; }; f" },
	"function, word":  func(l string) string { return `f() { eval "$1"; }; f ` + single(l) },
	"variable, eval":  func(l string) string { return "ZZ=" + single(l) + `; eval "$ZZ"` },
	"variable, sh -c": func(l string) string { return "ZZ=" + single(l) + `; sh -c "$ZZ"` },
	"exported":        func(l string) string { return "export ZZ=" + single(l) + `; bash -c 'eval "$ZZ"'` },
	"echo | bash":     func(l string) string { return "echo " + single(l) + " | bash" },
	"printf | sh":     func(l string) string { return `printf '%s\n' ` + single(l) + " | sh -s" },
	"here-doc":        func(l string) string { return "bash <<'EOF'\n" + l + "\nEOF" },
	"here-string":     func(l string) string { return "bash <<< " + single(l) },
	"base64 | sh": func(l string) string {
		return "echo " + base64.StdEncoding.EncodeToString([]byte(l)) + " | base64 -d | sh"
	},
	"base64 in words": func(l string) string {
		return `bash -c "$(echo ` + base64.StdEncoding.EncodeToString([]byte(l)) + ` | base64 --decode)"`
	},
	"base64, here-string": func(l string) string {
		return "base64 -d <<< " + base64.StdEncoding.EncodeToString([]byte(l)) + " | bash"
	},
	"xxd":         func(l string) string { return "echo " + hex.EncodeToString([]byte(l)) + " | xxd -r -p | sh" },
	"ansi quotes": func(l string) string { return "eval $'" + escaped(l) + "'" },
	"printf octal": func(l string) string {
		var b strings.Builder
		for i := range len(l) {
			fmt.Fprintf(&b, `\%03o`, l[i])
		}
		return "eval \"$(printf '" + b.String() + "')\""
	},
	"reversed": func(l string) string {
		r := []rune(l)
		slices.Reverse(r)
		if strings.Contains(l, "\n") {
			return ""
		}
		return "echo " + single(string(r)) + " | rev | sh"
	},
	"quotes in the word": func(l string) string { return word1(l, func(w string) string { return w[:1] + `""` + w[1:] }) },
	"backslash in front": func(l string) string { return word1(l, func(w string) string { return `\` + w }) },
	"name in a variable": func(l string) string { return word0(l, func(w string) string { return "c=" + w + "; $c" }) },
	"name in two halves": func(l string) string {
		return word0(l, func(w string) string { return "a=" + w[:1] + "; b=" + w[1:] + "; $a$b" })
	},
	"name substituted": func(l string) string { return word1(l, func(w string) string { return "$(echo " + w + ")" }) },
	"name by its path": func(l string) string { return word1(l, func(w string) string { return "/usr/bin/" + w }) },
	"line continued":   func(l string) string { return strings.Replace(l, " ", " \\\n", 1) },
	"blanks by a variable": func(l string) string {
		return noQuotes(l, func(l string) string { return strings.ReplaceAll(l, " ", "${IFS}") })
	},
	"braces": func(l string) string {
		return noQuotes(l, func(l string) string {
			if !strings.Contains(l, " ") {
				return ""
			}
			return "{" + strings.ReplaceAll(l, " ", ",") + "}"
		})
	},
	"command": func(l string) string { return word1(l, func(w string) string { return "command " + w }) },
	"exec":    func(l string) string { return word1(l, func(w string) string { return "exec " + w }) },
	"busybox": func(l string) string { return "busybox sh -c " + single(l) },
	"xargs": func(l string) string {
		return oneLine(l, func(l string) string { return "echo x | xargs -I{} sh -c " + single(l) })
	},
	"xargs of the line": func(l string) string {
		return noQuotes(l, func(l string) string { return "echo " + single(l) + " | xargs -I{} sh -c '{}'" })
	},
	"find -exec": func(l string) string { return `find . -maxdepth 0 -exec sh -c ` + single(l) + ` \;` },
	"watch":      func(l string) string { return "watch -n 1 " + single(l) },
	"script":     func(l string) string { return "script -q -c " + single(l) + " /dev/null" },
	"flock":      func(l string) string { return "flock /tmp/x.lock -c " + single(l) },
	"trap":       func(l string) string { return "trap " + single(l) + " EXIT" },
	"alias": func(l string) string {
		return oneLine(l, func(l string) string { return "shopt -s expand_aliases\nalias zz=" + single(l) + "\nzz" })
	},
	"substituted":          func(l string) string { return "x=$(" + l + ")" },
	"substituted in echo":  func(l string) string { return `echo "$(` + l + `)"` },
	"process substitution": func(l string) string { return "cat <(" + l + ")" },
	"in the background":    func(l string) string { return l + " & wait" },
	"negated":              func(l string) string { return "! " + l },
	"time":                 func(l string) string { return "time " + l },
	"after cd":             func(l string) string { return "cd . && " + l },
	"python os.system":     func(l string) string { return "python3 -c " + single("import os; os.system("+code(l)+")") },
	"python subprocess": func(l string) string {
		return "python3 -c " + single("import subprocess\nsubprocess.run("+code(l)+", shell=True)")
	},
	"python here-doc": func(l string) string { return "python3 - <<'PY'\nimport os\nos.system(" + code(l) + ")\nPY" },
	"perl":            func(l string) string { return "perl -e " + single("system("+code(l)+")") },
	"ruby":            func(l string) string { return "ruby -e " + single("system("+code(l)+")") },
	"node": func(l string) string {
		return "node -e " + single(`require("child_process").execSync(`+code(l)+")")
	},
	"php": func(l string) string { return "php -r " + single("shell_exec("+code(l)+");") },
	"awk": func(l string) string {
		return "awk " + single("BEGIN { system("+code(l)+") }")
	},
	"script file":    func(l string) string { return "cat > /tmp/x.sh <<'EOF'\n" + l + "\nEOF\nsh /tmp/x.sh" },
	"file, executed": func(l string) string { return "printf '%s\\n' " + single(l) + " > x.sh && chmod +x x.sh && ./x.sh" },
	"sourced":        func(l string) string { return "echo " + single(l) + " > /tmp/y; . /tmp/y" },
	"make": func(l string) string {
		return oneLine(l, func(l string) string {
			return "printf 'all:\\n\\t%s\\n' " + single(strings.ReplaceAll(l, "$", "$$")) + " > Makefile && make"
		})
	},
	"git alias": func(l string) string { return "git -c alias.x=" + single("!"+l) + " x" },
	"vim":       func(l string) string { return "vim -c " + single(":!"+l) },
	"parallel":  func(l string) string { return "parallel ::: " + single(l) },
	"tmux":      func(l string) string { return "tmux new-session -d " + single(l) },
}

func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\x%02x`, s[i])
	}
	return b.String()
}

func plainWord(w string) bool {
	return len(w) > 1 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

func word1(l string, f func(string) string) string {
	w, rest, _ := strings.Cut(l, " ")
	if !plainWord(w) || slices.Contains([]string{"cd", "eval", "export", "exec", "command", "crontab"}, w) {
		return ""
	}
	return strings.TrimSpace(f(w) + " " + rest)
}

func word0(l string, f func(string) string) string { return word1(l, f) }

func noQuotes(l string, f func(string) string) string {
	if strings.ContainsAny(l, "'\"$`|&;<>(){}*\n,~=\\#!") {
		return ""
	}
	return f(l)
}

func oneLine(l string, f func(string) string) string {
	if strings.Contains(l, "\n") {
		return ""
	}
	return f(l)
}

func strength(fs []Judged) int {
	if len(fs) == 0 {
		return 0
	}
	if fs[0].Rule.Verdict == Block {
		return 2
	}
	return 1
}

// A dangerous line said in other words is judged no milder.
func TestOtherWordsAreJudgedNoMilder(t *testing.T) {
	lines, pairs, bad := 0, 0, map[string]int{}
	for _, p := range Packs() {
		if p.Judges != "" { // the examples are no lines of a shell
			continue
		}
		for _, r := range p.Rules {
			for _, line := range r.Stops {
				if lines++; raced && lines%8 != 0 { // all of them are judged without the race detector
					continue
				}
				want := strength(Everything().Judge(facts.Shell(line, world)))
				for name, rewrite := range rewritings {
					other := rewrite(line)
					if other == "" || name == "substituted" && r.ID == "secrets/print-variable" { // what a substitution takes in is not printed
						continue
					}
					pairs++
					if got := strength(Everything().Judge(facts.Shell(other, world))); got < want {
						if bad[name]++; bad[name] <= 3 {
							t.Errorf("%s: %q is judged %d, and %q %d", name, line, want, other, got)
						}
					}
				}
			}
		}
	}
	t.Logf("%d lines, %d rewritings, %d pairs, milder: %v", lines, len(rewritings), pairs, bad)
}

// auto is the policy that hookway has where nobody says otherwise.
func auto() *Policy { return &Policy{Packs: Names(), Mode: Auto} }

// A text that cannot be read does not switch the rules off: in mode auto too it is
// stopped, by what it does before the mistake or because nobody knows the rest.
func TestBrokenTextCountsInAuto(t *testing.T) {
	for line, want := range map[string]int{
		"rm -rf ~\n)":                            2,
		"rm -rf ~\n" + strings.Repeat(")\n", 25): 2,
		"rm -rf ~\n)\n" + strings.Repeat("echo some text\n", 1000): 2,
		"ls\n)":           1,
		"ls; fi":          1,
		"bash -c 'ls\n)'": 1,
	} {
		if got := auto().Judge(facts.Shell(line, world)); strength(got) != want || !got[0].Counts {
			t.Errorf("%.60q: got %v, want a finding of strength %d that counts", line, got, want)
		}
	}
}

// countedInAuto is the share of rewritings that count in mode auto, of lines that do so
// themselves, below which the test fails.
const countedInAuto = 0.999

// What is blocked in mode auto is so in other words too, mostly: where a rewriting has
// another reading, its finding is only on record.
func TestOtherWordsCountInAuto(t *testing.T) {
	pairs, held, lost := 0, 0, map[string]int{}
	for _, p := range Packs() {
		if p.Judges != "" { // the examples are no lines of a shell
			continue
		}
		for _, r := range p.Rules {
			for i, line := range r.Stops {
				if found := auto().Judge(facts.Shell(line, world)); raced && i > 0 || len(found) == 0 || !found[0].Counts {
					continue
				}
				for name, rewrite := range rewritings {
					other := rewrite(line)
					if other == "" || slices.Contains(perhaps, name) {
						continue
					}
					pairs++
					if found := auto().Judge(facts.Shell(other, world)); len(found) > 0 && found[0].Counts {
						held++
					} else {
						lost[name]++
					}
				}
			}
		}
	}
	if got := share(held, pairs); got < countedInAuto {
		t.Errorf("%.3f of the rewritings count, want at least %.3f", got, countedInAuto)
	}
	t.Logf("%.4f of %d rewritings count; of these not: %v", share(held, pairs), pairs, lost)
}
