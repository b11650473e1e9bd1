package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
)

func TestKnownSecretsAreHiddenInTexts(t *testing.T) {
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
	for _, test := range []struct{ text, secret string }{
		{"export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"},
		{"key ASIAIOSFODNN7EXAMPLE in text", "ASIAIOSFODNN7EXAMPLE"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"},
		{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENG", "wJalrXUtnFEMIK7MDENG"},
		{"git clone https://ghp_" + strings.Repeat("a1", 18) + "@github.com/x/y", "ghp_a1"},
		{"github_pat_" + strings.Repeat("A1", 20), "A1A1"},
		{"ghs_" + strings.Repeat("b2", 18), "b2b2"},
		{"glpat-abcdefghij0123456789", "abcdefghij"},
		{"xoxb-1234567890-abcdefghij", "1234567890"},
		{"sk-proj-" + "k9876543210zyxwvuts", "9876543210"},
		{"sk_live_abcdefghij1234567890", "abcdefghij"},
		{"npm_" + strings.Repeat("c3", 18), "c3c3"},
		{"AIza" + strings.Repeat("d4", 18), "d4d4"},
		{"token " + jwt + " end", "eyJzdWIi"},
		{"curl -H 'Authorization: Bearer abcdef123456'", "abcdef123456"},
		{`curl -H "authorization: Basic dXNlcjpwYXNz"`, "dXNlcjpwYXNz"},
		{"Authorization: abcdef123456", "abcdef123456"},
		{"bearer abcdefgh12345678", "abcdefgh12345678"},
		{"password=hunter2", "hunter2"},
		{"PGPASSWORD='two words' psql", "two words"},
		{`{"password": "hunter2"}`, "hunter2"},
		{`echo "{\"password\":\"hunter2\"}"`, "hunter2"},
		{"passwd: hunter2", "hunter2"},
		{"mysql --password hunter2 -u root", "hunter2"},
		{"tool --api-key 'abc def'", "abc def"},
		{"login --github-token abcdef", "abcdef"},
		{"api_key: abcdef", "abcdef"},
		{"API-KEY=abcdef", "abcdef"},
		{"apikey := `x`; client_secret=\"abc\"", `"abc"`},
		{"https://user:hunter2@example.com/x", "hunter2"},
		{"redis://:hunter2@localhost", "hunter2"},
		{"Set-Cookie: session=abcdef; Path=/", "abcdef"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\nafter", "MIIEabc"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1", "b3BlbnNzaC1"},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\nxyz\n-----END PGP PRIVATE KEY BLOCK-----", "xyz"},
		{"DB_PASS=hunter2 make", "hunter2"},
		{"AccountName=x;AccountKey=abcdef+/==;EndpointSuffix=y", "abcdef"},
		{"GOCSPX-" + strings.Repeat("e5", 14), "e5e5"},
		{"dop_v1_" + strings.Repeat("f6", 32), "f6f6"},
		{"whsec_" + strings.Repeat("A7", 16), "A7A7"},
		{"curl https://hooks.slack.com/services/T00000000/B00000000/" + strings.Repeat("x", 24), "xxxx"},
		{"AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "QQPZRY"},
	} {
		got := newRedactor(nil).text(test.text)
		if strings.Contains(got, test.secret) || !strings.Contains(got, hidden) && !strings.Contains(got, "[secret: ") {
			t.Errorf("%q became %q", test.text, got)
		}
	}
}

func TestOrdinaryTextStaysAsItIs(t *testing.T) {
	for _, text := range []string{
		"", "go test ./...", "the password is asked for", "https://example.com/a:b@c", "tokens: 5, max_tokens 7", "git push origin main",
		"sk-short", "basket-ball", "a bearer of news", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "ls -la --color", "über 日本 \x00",
		"eyJhbGciOi without dots", "secretary = no", "tokenizer.json",
	} {
		if got := newRedactor(nil).text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestSecretsAndConfiguredFieldsNeverTouchTheDisk(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir, Fields: []string{"ssn", "tool_input.content", "user_message"}})
	r := sample(0)
	secret := "hunter2hunter2"
	r.ToolInput = map[string]any{
		"command": "login --password " + secret + " && curl https://x:" + secret + "@host", "content": "all of " + secret,
		"env": map[string]any{"DB_PASSWORD": secret, "githubToken": secret, "list": []any{map[string]any{"api_key": secret}}},
		"ssn": secret, "nested": map[string]any{"SSN": 123456, "text": "ssn=" + secret},
		"ghp_" + strings.Repeat("k", 30): "in a key",
		"max_tokens":                     7,
	}
	r.What, r.whatFrom = secret, steps("tool_input.content")
	r.Reason, r.UserMessage, r.Inject, r.Failure = "password="+secret, secret, "SSN: "+secret, "token: "+secret
	r.Warnings, r.Degraded = []string{"secret=" + secret}, []string{"passphrase='" + secret + "'"}
	r.Result = map[string]any{"output": "Bearer " + secret}
	r.Steps = []Step{{Hook: "h", Reason: "password: " + secret, Error: "api_key=" + secret}}
	r.Changes = []Change{
		{Path: "tool_input.content", From: secret, To: secret + "2"},
		{Path: "tool_input.env.DB_PASSWORD", From: secret, To: map[string]any{"deep": "password=" + secret}},
		{Path: "tool_input.command", From: "x", To: "x --token " + secret},
	}
	r.CWD = "/home/token=" + secret
	add(t, l, r)
	text := string(contents(t, files(t, dir)[0]))
	for _, leak := range []string{secret, "123456", "ghp_k"} {
		if at := strings.Index(text, leak); at >= 0 {
			t.Errorf("%q is on the disk: …%s", leak, text[max(at-60, 0):at+len(leak)])
		}
	}
	for _, kept := range []string{`"max_tokens":7`, "login --password", `"path":"tool_input.command"`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is not on the disk", kept)
		}
	}
}

func TestARecordHidesMoreThanItsLogAndNeverLess(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir, Fields: []string{"ssn"}})
	secret := map[string]any{"ssn": "111-22", "iban": "DE02"}
	for _, hide := range [][]string{nil, {"iban"}, nil, {"iban"}, {}, {"tool_input"}} {
		r := sample(0)
		r.ToolInput, r.Hide = secret, hide
		add(t, l, r)
	}
	records, _ := read(t, dir, Filter{})
	for i, want := range []string{"DE02", hidden, "DE02", hidden, "DE02", ""} {
		if got, _ := records[i].ToolInput["iban"].(string); got != want {
			t.Errorf("record %d has %q, want %q", i+1, got, want)
		}
	}
	if text := string(contents(t, files(t, dir)[0])); strings.Contains(text, "111-22") || strings.Contains(text, `"hide"`) {
		t.Errorf("on the disk: %s", text)
	}
}

func TestWhatARecordIsFoundByIsNeverHidden(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	r := sample(0)
	r.Native, r.Source = "PreToolUse", "claude"
	r.Hide = []string{"event", "event_id", "native", "session", "agent", "source", "tool", "tool_use_id", "action", "by", "hook", "steps", "tool_input", "reason", "seq", "time", "prev", "hash"}
	add(t, l, r)
	records, _ := read(t, dir, Filter{})
	got := records[0]
	switch {
	case got.Event != r.Event:
		t.Errorf("got.Event: got %v, want %v", got.Event, r.Event)
	case got.EventID != r.EventID:
		t.Errorf("got.EventID: got %v, want %v", got.EventID, r.EventID)
	case got.Native != r.Native:
		t.Errorf("got.Native: got %v, want %v", got.Native, r.Native)
	case got.Session != r.Session:
		t.Errorf("got.Session: got %v, want %v", got.Session, r.Session)
	case got.Agent != r.Agent:
		t.Errorf("got.Agent: got %v, want %v", got.Agent, r.Agent)
	case got.Source != r.Source:
		t.Errorf("got.Source: got %v, want %v", got.Source, r.Source)
	case got.Tool != r.Tool:
		t.Errorf("got.Tool: got %v, want %v", got.Tool, r.Tool)
	case got.ToolUseID != r.ToolUseID:
		t.Errorf("got.ToolUseID: got %v, want %v", got.ToolUseID, r.ToolUseID)
	case got.Action != r.Action:
		t.Errorf("got.Action: got %v, want %v", got.Action, r.Action)
	case got.By != r.By:
		t.Errorf("got.By: got %v, want %v", got.By, r.By)
	case got.Steps[0].Hook != r.Steps[0].Hook:
		t.Errorf("got.Steps[0].Hook: got %v, want %v", got.Steps[0].Hook, r.Steps[0].Hook)
	}
	if got.Reason != hidden || got.Steps[0].Reason != hidden {
		t.Errorf("not hidden: %q, %q", got.Reason, got.Steps[0].Reason)
	}
	sound(t, dir)
}

func TestManyListsOfHiddenFieldsFillNoMemory(t *testing.T) {
	c := covers{fields: []string{"ssn"}}
	first := c.of([]string{"a"})
	if c.of([]string{"a"}) != first {
		t.Error("a list that is known was compiled again")
	}
	for i := range 10 * maxCovers {
		c.of([]string{strings.Repeat("a", i+1)})
		if len(c.kept) > maxCovers {
			t.Fatalf("%d are kept", len(c.kept))
		}
	}
}

func TestAWholeFieldIsHiddenOnRequest(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir, Fields: []string{"tool_input"}})
	r := sample(0)
	r.whatFrom = steps("tool_input.command")
	r.Changes = []Change{{Path: "tool_input.command", From: "go test ./room0", To: "go vet"}}
	add(t, l, r)
	if text := string(contents(t, files(t, dir)[0])); strings.Contains(text, "room0") || strings.Contains(text, "go vet") {
		t.Errorf("it is on the disk: %s", text)
	}
}

func TestASecretAtTheEdgeOfWhatIsKeptIsNotCutInTwo(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	token := "ghp_" + strings.Repeat("S3", 18)
	for shift := range 60 {
		for _, most := range []int{maxInject, inputBounds.text, draftBounds.text} {
			r := sample(0)
			text := strings.Repeat("word ", most/5+1)[:most-shift] + " " + token + " " + strings.Repeat("more ", 500)
			r.Inject, _ = draft(text, draftBounds.text)
			cut := func(string) {}
			r.ToolInput, _ = newCopier(draftBounds, nil, cut).copy(map[string]any{"content": text}, "tool_input", 0).(map[string]any)
			r.Changes = diff(map[string]any{"a": text}, map[string]any{"a": text + "!"}, cut)
			add(t, l, r)
		}
	}
	if text := string(contents(t, files(t, dir)[0])); strings.Contains(text, "S3S3") {
		t.Errorf("a part of the token is on the disk")
	}
}

func TestHostileTextsAreRedactedInReasonableTime(t *testing.T) {
	r := newRedactor([]string{"ssn"})
	const size = 16 << 10
	begun := eventually.Worked(t)
	for _, piece := range []string{"eyJ", "_eyJ", "-----BEGIN ", "://", "://a:", "password=", "password", "--", "--a-", "token:\"", "sk-", "SG.", "bearer ", "ssn", "authorization", "api", "'", "\"", "pwd='", "SG.aaaaaaaaaaaaaaaa"} {
		r.text(strings.Repeat(piece, size/len(piece)))
	}
	took := eventually.Worked(t) - begun
	t.Logf("it took %v", took)
	if took > time.Minute { // quadratic ones take minutes
		t.Errorf("it took %v", took)
	}
}

func BenchmarkRedact(b *testing.B) {
	r := newRedactor(nil)
	text := strings.Repeat("a plain line of a file that somebody writes, with https://example.com in it\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.text(text)
	}
}
