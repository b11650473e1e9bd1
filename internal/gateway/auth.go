package gateway

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hookway/hookway/internal/webhook"
)

// Scheme is how a service shows that a request is its own.
type Scheme string

// The schemes.
const (
	Bearer   Scheme = "bearer"   // a token in a header
	Standard Scheme = "standard" // Standard Webhooks: a signature with id and time
	GitHub   Scheme = "github"   // HMAC-SHA256 of the body in a header, in hex
)

// Schemes lists them.
func Schemes() []string { return []string{string(Bearer), string(Standard), string(GitHub)} }

// leastSecret is how many bytes a secret has at least.
const leastSecret = 16

// Auth is how the requests of a mapping are recognised.
type Auth struct {
	Scheme Scheme
	Header string // where the token or the signature stands, if not where the scheme has it

	SecretEnv  string // the variable that has the secret, or
	SecretFile string // the file, which is for its owner alone
}

// header is where the token or the signature stands.
func (a *Auth) header() string {
	if a.Scheme == GitHub {
		return cmp.Or(a.Header, "X-Hub-Signature-256")
	}
	return cmp.Or(a.Header, "Authorization")
}

// secret reads the secret, as it is now. No error shows any of it.
func (a *Auth) secret(getenv func(string) string) (string, error) {
	text := ""
	if a.SecretFile != "" {
		var err error
		if text, err = webhook.ReadSecret(a.SecretFile); err != nil {
			return "", err
		}
	} else if text = getenv(a.SecretEnv); text == "" {
		return "", fmt.Errorf("the variable %s is not set in the daemon's environment; set it for hookway serve, or use secret_file: a daemon that is started on demand has no variables of yours", a.SecretEnv)
	}
	if len(text) < leastSecret {
		return "", fmt.Errorf("the secret has less than %d bytes; make one with: head -c 32 /dev/urandom | base64", leastSecret)
	}
	if a.Scheme == Standard {
		if _, err := webhook.ParseKey(text); err != nil {
			return "", err
		}
	}
	return text, nil
}

// errNoToken and errNoSignature are all that a stranger learns.
var (
	errNoToken     = errors.New("the request has no token, or another one")
	errNoSignature = errors.New("the request has no signature, or a wrong one; both sides must have the same secret, and sign the body byte by byte")
)

// checkHead checks what can be checked without the body.
func (a *Auth) checkHead(secret string, h http.Header) error {
	values := h.Values(a.header())
	switch a.Scheme {
	case Standard:
		if h.Get("Webhook-Id") == "" || h.Get("Webhook-Timestamp") == "" || h.Get("Webhook-Signature") == "" {
			return errNoSignature
		}
	case GitHub:
		if len(values) != 1 || len(values[0]) > 128 {
			return errNoSignature
		}
	default:
		if len(values) != 1 {
			return errNoToken
		}
		token := values[0]
		if scheme, rest, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "Bearer") {
			token = strings.TrimSpace(rest)
		} else if a.Header == "" {
			return errNoToken
		}
		given, right := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(secret)) // of one length, whatever was given
		if subtle.ConstantTimeCompare(given[:], right[:]) != 1 {
			return errNoToken
		}
	}
	return nil
}

// checkBody checks the signature of a body.
func (a *Auth) checkBody(secret string, h http.Header, body []byte) error {
	switch a.Scheme {
	case Standard:
		k, err := webhook.ParseKey(secret)
		if err != nil {
			return err
		}
		return k.Verify(h, body)
	case GitHub:
		given, err := hex.DecodeString(strings.TrimPrefix(h.Get(a.header()), "sha256="))
		if err != nil || !hmac.Equal(given, sign(secret, body)) {
			return errNoSignature
		}
	}
	return nil
}

func sign(secret string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}

// key is what tells a request that was sent again from a new one; "" if nothing does.
// Where the scheme signs an id, it is that. GitHub's signs the body alone: then the
// body is its own key, since anyone who saw it once could send it again under any id.
func (a *Auth) key(header string, h http.Header, body []byte) string {
	switch {
	case a.Scheme == Standard:
		return "id:" + h.Get("Webhook-Id")
	case a.Scheme == GitHub:
		sum := sha256.Sum256(body)
		return "body:" + hex.EncodeToString(sum[:])
	}
	if value := h.Get(cmp.Or(header, "Idempotency-Key")); value != "" {
		return "key:" + value
	}
	return ""
}
