package facts

import (
	"strings"
	"testing"
)

// made are texts of a size that make the search for credentials slow, each in its own way.
func made(size int) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]string{
		"literals that begin nothing": "glsoat-", "behind": "7q~", "each a little off": "ghp_aB3dE6gH9jK2", "names": `token="aB3dE6gH9jK2`, "addresses": "://aB3:c@",
		"dashes": "-", "options": "--a", "a long word": "sk-a", "tokens with dots": "eyJabcdefghij.", "sg": "SG.aB3dE6gH9jK2mN5", "keys": "AKIAQWERTYUIOPASDFGH ", "blocks": "-----BEGIN PRIVATE KEY-----\n",
		"passwords": "password=aB3dE6gH9 ", "hashes": "$6$", "hooks": "https://hooks.slack.com/services/", "base64": "dGhlIHF1aWNrIGJyb3duIGZveA",
	} {
		out[name] = strings.Repeat(part, size/len(part)+1)[:size]
	}
	return out
}

// A credential behind a text that is made to be slow is found, or is in what was not searched.
func TestNoTextHidesACredential(t *testing.T) {
	const real = "glpat-k3JQz9vT1mXw5RbYc8Ls"
	var redactor Redactor
	for name, text := range made(1 << 20) {
		text += "\n" + real + "\n"
		at := strings.Index(text, real)
		found := false
		for _, c := range Credentials(text) {
			found = found || c.At.From <= at && at+len(real) <= c.At.To
		}
		if !found {
			t.Errorf("%s: the credential behind it is in no place that was found", name)
		}
		if strings.Contains(Mask(text), real) {
			t.Errorf("%s: the credential behind it is not masked", name)
		}
		if strings.Contains(redactor.Text(text), real) {
			t.Errorf("%s: the credential behind it is not redacted", name)
		}
	}
}

// What was not searched is told to who writes it.
func TestTextThatWasNotSearchedIsUnknown(t *testing.T) {
	text := made(1 << 20)["behind"]
	unread := false
	for _, f := range Call("Write", map[string]any{"file_path": "/home/u/project/a", "content": text}, fuzzed) {
		unread = unread || f.Does == "unknown" && f.Many
		if f.Does == "secret" {
			t.Errorf("got %+v, want no credential", f)
		}
	}
	if !unread {
		t.Error("got no fact that the text was not searched")
	}
}

// An address that was not searched sends no credential that anybody knows of.
func TestAnAddressThatWasNotSearchedIsUnknown(t *testing.T) {
	unread := false
	for _, f := range Shell("curl 'https://x.example/?q="+made(40 << 10)["behind"]+"'", fuzzed) {
		unread = unread || f.Does == "unknown" && f.Many
		if f.Does == "connect" && len(f.Sends) > 0 {
			t.Errorf("the address sends %q, want nothing", f.Sends)
		}
	}
	if !unread {
		t.Error("got no fact that the address was not searched")
	}
}

// A MiB of what people and programs write is searched to its end, also where it is full of
// what looks like the beginning of a credential.
func TestOrdinaryTextIsSearchedToItsEnd(t *testing.T) {
	const last = "\nGITLAB=glpat-k3JQz9vT1mXw5RbYc8Ls\n"
	for name, part := range map[string]string{
		"code":      "func main() { fmt.Println(\"hello, token world\", secretName, apiKey) } // see https://x.example/a?b=c\n",
		"lock file": `"node_modules/sk-pat": {"version": "1.2.3", "resolved": "https://registry.example/sk-pat/-/sk-pat-1.2.3.tgz", "integrity": "sha512-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=="},` + "\n",
		"log":       "2026-01-02T03:04:05Z INFO auth: token refreshed for user=anna session=3b18e512dba79e4c8300dd08aeb37f8e728b8dad path=/api/keys?api_key=none\n",
		"settings":  "password: ${DB_PASSWORD}\nsecret: vault(kv/app)\ntoken = os.environ[\"TOKEN\"]\napi_key: null\n",
		"prose":     "The secret of a good password is that nobody can guess it, and a token or an API key is best kept out of the repository.\n",
		"minified":  `e.token=t.access_token,n.apiKey="",r.password=o(i.secret),a("https://x.example/"+s.key-us),`,
	} {
		text := strings.Repeat(part, (1<<20)/len(part)) + last
		found := Credentials(text)
		if n := len(found); n == 0 || found[n-1].Kind != "gitlab token" {
			t.Errorf("%s: got %v last, want the token behind it", name, found[max(0, len(found)-1):])
		}
	}
}

func BenchmarkSlowTexts(b *testing.B) {
	var redactor Redactor
	for name, text := range made(1 << 20) {
		b.Run("credentials/"+name, func(b *testing.B) {
			for b.Loop() {
				Credentials(text)
			}
		})
		b.Run("redactor/"+name, func(b *testing.B) {
			for b.Loop() {
				redactor.Text(text)
			}
		})
	}
}
