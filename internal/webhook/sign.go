package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far a timestamp may be from our clock.
const tolerance = 5 * time.Minute

// The lengths of a secret that Standard Webhooks permit, in bytes.
const (
	minKey = 24
	maxKey = 64
)

// Key signs messages, and checks signatures.
type Key []byte

// ParseKey reads a secret: whsec_ and 24 to 64 bytes in base64. No error shows any of it.
func ParseKey(secret string) (Key, error) {
	text, ok := strings.CutPrefix(strings.TrimSpace(secret), "whsec_")
	if !ok {
		return nil, errors.New("the secret must begin with whsec_, as Standard Webhooks have it")
	}
	k, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, errors.New("the secret must be base64 behind whsec_; make one with: echo whsec_$(head -c 32 /dev/urandom | base64)")
	}
	if len(k) < minKey || len(k) > maxKey {
		return nil, fmt.Errorf("the secret has %d bytes; it must have %d to %d; make one with: echo whsec_$(head -c 32 /dev/urandom | base64)", len(k), minKey, maxKey)
	}
	return k, nil
}

// Sign returns the webhook-signature of a message.
func (k Key) Sign(id string, at time.Time, body []byte) string {
	return "v1," + base64.StdEncoding.EncodeToString(k.sum(id, strconv.FormatInt(at.Unix(), 10), body))
}

func (k Key) sum(id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify checks the signature of a message that was received: its headers and
// its body. The error says what is wrong.
func (k Key) Verify(h http.Header, body []byte) error { return k.verify(h, body, time.Now()) }

func (k Key) verify(h http.Header, body []byte, now time.Time) error {
	id, timestamp, signed := h.Get("webhook-id"), h.Get("webhook-timestamp"), h.Get("webhook-signature")
	if id == "" || timestamp == "" || signed == "" {
		return errors.New("it is not signed: webhook-id, webhook-timestamp and webhook-signature are needed")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errors.New("its webhook-timestamp is not a number of seconds since 1970")
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > tolerance || off < -tolerance {
		return fmt.Errorf("its webhook-timestamp is more than %v away from our clock", tolerance)
	}
	want := k.sum(id, timestamp, body)
	for one := range strings.FieldsSeq(signed) {
		text, v1 := strings.CutPrefix(one, "v1,")
		got, err := base64.StdEncoding.Strict().DecodeString(text)
		if v1 && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("its webhook-signature is wrong; both sides must have the same secret, and sign the body byte by byte")
}
