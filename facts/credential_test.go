package facts

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// alphabets are what the letters in a sample stand for.
var alphabets = map[byte]string{
	'a': "abcdefghijkmnpqrstuvwyzABCDEFGHJKLMNPQRSTUVWYZ23456789", 'A': "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ", 'l': "abcdefghijklmnopqrstuvwxyz0123456789",
	'B': "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 's': "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 'h': "0123456789abcdef", 'd': "0123456789",
	'w': "abcdefghijkmnpqrstuvwyzABCDEFGHJKLMNPQRSTUVWYZ23456789_",
}

var madeUp = regexp.MustCompile(`\{([aAlBshdw])([0-9]+)\}|\{u\}`)

// fill writes a sample out.
func fillSample(sample string, r *rand.Rand) string {
	return madeUp.ReplaceAllStringFunc(sample, func(m string) string {
		random := func(from string, n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = from[r.IntN(len(from))]
			}
			return string(b)
		}
		if m == "{u}" {
			hex := alphabets['h']
			return random(hex, 8) + "-" + random(hex, 4) + "-4" + random(hex, 3) + "-a" + random(hex, 3) + "-" + random(hex, 12)
		}
		n, _ := strconv.Atoi(m[2 : len(m)-1])
		return random(alphabets[m[1]], n)
	})
}

// Each kind of credential is found in a text of its own shape, wherever it stands, and
// not in one that only looks like it.
func TestCredentialsOfEachKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for _, s := range credentialSamples {
		seen[s.kind] = true
		t.Run(s.kind, func(t *testing.T) {
			for range 20 {
				for _, around := range []string{"%s", "before, then\n%s and after", "x=%s\n", "<a>%s</a>"} {
					text := fmt.Sprintf(around, fillSample(s.real, r))
					if got := Credentials(text); len(got) != 1 || got[0].Kind != s.kind {
						t.Fatalf("%q: got %v", text, got)
					}
					if got := Mask(text); !strings.Contains(got, "[secret: "+s.kind+"]") || len(Credentials(got)) > 0 {
						t.Fatalf("%q is masked as %q", text, got)
					}
				}
				if text := fillSample(s.not, r); len(Credentials("see "+text+" there")) > 0 {
					t.Fatalf("%q: got %v, want nothing", text, Credentials("see "+text+" there"))
				}
			}
		})
	}
	for _, rec := range recogniserTable() {
		if !seen[rec.kind] {
			t.Errorf("no sample of kind %q", rec.kind)
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d kinds, want at least 60", len(seen))
	}
}

// A checksum tells a token that may be used from one that was made up.
func TestChecksumsOfCredentials(t *testing.T) {
	body := "k3JQz9vT1mXw5RbYc8LsGd2HfNpA7e"
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum, end := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		end = string(digits[sum%62]) + end
		sum /= 62
	}
	for text, want := range map[string]bool{
		"ghp_" + body + end:           true,
		"npm_" + body + end:           true,
		"ghp_" + body + "aaaaaa":      false,
		"gho_" + body[1:] + "k" + end: false,
		// Of the specification of age's plugins, and with one letter changed.
		"AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33": true,
		"AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J34": false,
		`token: "k3JQz9vT1mXw5RbYc8LsGd2HfNpA7e"`:                                    false, // only a name speaks for it
		"glpat-k3JQz9vT1mXw5RbYc8Ls":                                                 true,  // its kind has no checksum that is known
	} {
		got := Credentials(text)
		if len(got) != 1 || got[0].Sure != want {
			t.Errorf("%s: got %v, want one of which Sure is %t", text, got, want)
		}
	}
}

func TestABlockOfAPrivateKeyIsMaskedWhole(t *testing.T) {
	text := "a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH PRIVATE KEY-----\nz\n"
	if got, want := Mask(text), "a\n[secret: private key]\nz\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBlocksOfPrivateKeysBehindHeadersAlone(t *testing.T) {
	const header = "-----BEGIN PRIVATE KEY-----\n"
	text := strings.Repeat(header, 3) + "MIIEabc\n-----END PRIVATE KEY-----\nz " + header + strings.Repeat("x", 2*maxBlock) + "-----END PRIVATE KEY-----"
	got := Mask(text)
	if want := "[secret: private key]\nz [secret: private key]\nxxx"; !strings.HasPrefix(got, want) {
		t.Errorf("got %.80q, want %q before all", got, want)
	}
}

func TestARedactorTakesOutWhatMayBeACredential(t *testing.T) {
	for text, want := range map[string]string{
		"export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE":    "export AWS_ACCESS_KEY_ID=[secret: aws access key]",
		"token=ghp_abcabcabcabcabcabcabcabc":               "token=[secret: github token]",
		"password=hunter2 and on":                          "password=[redacted] and on",
		"ssn=123-45":                                       "ssn=[redacted]",
		"x: 5":                                             "x: [redacted]",
		"curl -H 'Authorization: Bearer abcdef123456'":     "curl -H 'Authorization: Bearer [redacted]'",
		"redis://:hunter2@localhost":                       "redis://:[secret: password in an address]@localhost",
		"pul-" + strings.Repeat("ab12", 10):                "[secret: pulumi token]",
		"go test ./... && git push":                        "go test ./... && git push",
		"-----BEGIN PRIVATE KEY-----\nMIIEabc\nto the end": "[secret: private key]",
	} {
		if got := NewRedactor([]string{"SSN", "x"}).Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	var zero Redactor
	if got := zero.Text("ssn=1 token=2"); got != "ssn=1 token=[redacted]" {
		t.Errorf("the zero Redactor gives %q", got)
	}
}

// Pairs of bytes lead to groups of literals by a number of one byte.
func TestTheIndexHasRoomForItsGroups(t *testing.T) {
	if n := len(suspects().groups); n > 255 {
		t.Errorf("%d groups, want at most 255", n)
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

func BenchmarkRedactor(b *testing.B) {
	var r Redactor
	text := strings.Repeat("func main() { fmt.Println(\"hello, token world\", secretName, apiKey) } // see https://x.example/a?b=c\n", 650)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
