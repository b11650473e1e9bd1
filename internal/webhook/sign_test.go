package webhook

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

const testSecret = "whsec_aG9va3dheSB0ZXN0IHNlY3JldCAwMTIzNDU2Nzg5"

// FuzzVerify checks that only the right signature holds, whatever the headers are.
func FuzzVerify(f *testing.F) {
	now := time.Unix(1700000000, 0)
	k, err := ParseKey(testSecret)
	if err != nil {
		f.Fatal(err)
	}
	right := k.Sign("evt_1", now, []byte("{}"))
	f.Add("evt_1", "1700000000", right, []byte("{}"))
	f.Add("evt_1", "1700000000", "v1, v1,= "+right, []byte("{}"))
	f.Add("", "-1", "v1,", []byte(nil))
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		h := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature}}
		err := k.verify(h, body, now)
		if want := base64.StdEncoding.EncodeToString(k.sum(id, timestamp, body)); err == nil && !strings.Contains(signature, want) {
			t.Errorf("it holds without the signature %s: %q", want, signature)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	})
}
