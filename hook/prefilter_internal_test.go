package hook

import (
	"regexp"
	"testing"
	"unicode/utf8"
)

// FuzzCommandPrefilter: the search for literals never rejects a command that
// the regular expression matches. It needs the engine's own types.
func FuzzCommandPrefilter(f *testing.F) {
	for _, seed := range [][2]string{
		{`rm\s+-rf`, "rm  -rf /"}, {`(?i)drop\s+table`, "DROP TABLE x"}, {`(?i)k`, "\u212a"}, {`(?i)\x{17f}`, "S"},
		{`(a|bc)d`, "bcd"}, {`(a|)d`, "d"}, {`(?i:git) push`, "GIT push"}, {`(x{2,3}y)+`, "xxy"}, {`a{0}b`, "b"},
		{`\x{FFFD}`, "\xff"}, {`(?i)\x{130}`, "i"}, {`(foo|(?i)BAR)`, "bar"}, {`[a]b`, "ab"}, {`\Qa.b\E`, "a.b"},
		{`(?i)ß`, "ẞ"}, {`^$`, ""}, {`(?i)σ`, "ς"}, {`a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r`, "r"}, {`(?:ab|cd)(?:ef|g)`, "cdg"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, command string) {
		re, err := regexp.Compile(pattern)
		if err != nil || !utf8.ValidString(pattern) {
			return
		}
		p := newCommandPattern(re)
		if got, want := p.match(&commandText{text: command}), re.MatchString(command); got != want {
			t.Errorf("%q on %q: %v, the regexp says %v (literals %q, fold %v)", pattern, command, got, want, p.literals, p.fold)
		}
	})
}

// The prefilter must do its work, or a thousand rules cost a thousand regexps.
func TestRequiredLiterals(t *testing.T) {
	for pattern, want := range map[string][]string{
		`rm\s+-rf`:             {"-rf"},
		`(?i)DROP\s+TABLE`:     {"table"},
		`^git\s+push.*--force`: {"--force"},
		`(foo|bars)bazz`:       {"bazz"},
		`(foo|bars)x`:          {"foo", "bars"},
		`a?b?`:                 nil,
		`\d+`:                  nil,
	} {
		p := newCommandPattern(regexp.MustCompile(pattern))
		if len(p.literals) != len(want) {
			t.Errorf("%s: %q, want %q", pattern, p.literals, want)
			continue
		}
		for i := range want {
			if p.literals[i] != want[i] {
				t.Errorf("%s: %q, want %q", pattern, p.literals, want)
			}
		}
	}
}
