package facts

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWhatVariesOfEachKind: what tells a kind is short, and what varies is as the kind takes it.
func TestWhatVariesOfEachKind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range credentialSamples {
		text := fillSample(s.real, r)
		found := Credentials(text)
		if len(found) != 1 || s.kind == privateKey || s.kind == "putty key" {
			continue
		}
		secret := text[found[0].At.From:found[0].At.To]
		parts, _ := VaryingParts(secret)
		varies, at := 0, 0
		for i := range parts {
			p := &parts[i]
			if p.At.From < at || p.At.To <= p.At.From || p.At.To > len(secret) {
				t.Fatalf("%s: the parts of %q are %v", s.kind, secret, parts)
			}
			for _, c := range secret[p.At.From:p.At.To] {
				if !p.Takes(c) {
					t.Errorf("%s: %q of %q is not of its kind", s.kind, c, secret)
				}
			}
			varies, at = varies+p.At.To-p.At.From, p.At.To
		}
		if varies < min(12, len(secret)) {
			t.Errorf("%s: of %q only %d bytes vary: %v", s.kind, secret, varies, parts)
		}
	}
}

func TestWhatTellsAKindDoesNotVary(t *testing.T) {
	for text, want := range map[string]string{
		"ghu_" + strings.Repeat("ab1", 12):            "ghu_",
		"ghs_" + strings.Repeat("ab1", 7):             "ghs_",
		"sk-ant-" + strings.Repeat("ab1", 7):          "sk-ant-",
		"AKIAIOSFODNN7EXAMPLE":                        "AKIAEXAMPLE",
		"0123456789:AA" + strings.Repeat("ab1", 11):   ":AA",
		strings.Repeat("ab12", 8) + "-us12":           "-us12",
		"hooks.slack.com/services/T01/B02/abcdefghij": "hooks.slack.com/",
		"hunter22": "",
	} {
		parts, _ := VaryingParts(text)
		fixed, at := "", 0
		for _, p := range parts {
			fixed += text[at:p.At.From]
			at = p.At.To
		}
		if fixed += text[at:]; fixed != want {
			t.Errorf("of %q stays %q, want %q", text, fixed, want)
		}
	}
}
