package facts

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
)

// sample writes a text that a pattern matches.
func sample(re *syntax.Regexp, r *rand.Rand) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		// Mostly letters and digits: those are in most classes, and keep the text whole.
		var from []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= min(re.Rune[i+1], 'z'); c++ {
				if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
					from = append(from, c)
				}
			}
		}
		if len(from) == 0 {
			return string(re.Rune[0])
		}
		return string(from[r.IntN(len(from))])
	case syntax.OpCapture, syntax.OpConcat:
		var b strings.Builder
		for _, s := range re.Sub {
			b.WriteString(sample(s, r))
		}
		return b.String()
	case syntax.OpAlternate:
		return sample(re.Sub[r.IntN(len(re.Sub))], r)
	case syntax.OpRepeat, syntax.OpPlus, syntax.OpStar, syntax.OpQuest:
		low, high := re.Min, re.Max
		switch re.Op {
		case syntax.OpPlus:
			low, high = 1, 30
		case syntax.OpStar, syntax.OpQuest:
			low, high = 0, 0
		}
		if high < low {
			high = low + 8
		}
		if low == 0 {
			high = 0
		}
		var b strings.Builder
		for range low + r.IntN(min(high-low, 8)+1) {
			b.WriteString(sample(re.Sub[0], r))
		}
		return b.String()
	}
	return ""
}

// Each kind of credential is found by a text of its own shape, wherever it stands.
func TestCredentialsOfEachKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rec := range recognisers() {
		re, err := syntax.Parse(rec.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		found, tries := 0, 40
		for range tries {
			text := sample(re, r)
			if strings.Contains(rec.pattern, `(?:=|:|=>|:=)`) && !strings.ContainsAny(text, "=:") {
				continue
			}
			got := Credentials("before, then\n" + text + " and after")
			if len(got) > 0 {
				found++
			}
		}
		if found < tries*3/4 {
			t.Errorf("%s: found in %d of %d texts, such as %q", rec.kind, found, tries, sample(re, r))
		}
	}
}

func TestWhatOnlyLooksLikeACredential(t *testing.T) {
	for _, text := range []string{
		`API_KEY="your-api-key-goes-here-please"`, `token: ${GITHUB_TOKEN}`, `password = os.environ["DB_PASSWORD"]`, `secret: "xxxxxxxxxxxxxxxxxxxxxxxx"`,
		"postgres://user:password@localhost/db in the docs says ${PASSWORD}", "sk-ant-...", "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "AKIAIOSFODNN7EXAMPLE",
		"the token is checked by the server", "const secretName = 'projects/x/secrets/name'", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		"https://github.com/o/r/blob/3b18e512dba79e4c8300dd08aeb37f8e728b8dad/a.go", `"password": "correct horse battery staple"`,
	} {
		if got := Credentials(text); len(got) > 0 && got[0].Kind != "database password" {
			t.Errorf("%q: got %v, want nothing", text, got)
		}
	}
}

func BenchmarkCredentials(b *testing.B) {
	text := strings.Repeat("func main() { fmt.Println(\"hello, token world\", secretName, apiKey) } // see https://x.example/a?b=c\n", 650)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Credentials(text)
	}
}
