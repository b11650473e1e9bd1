package web

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/webhook"
)

// Sign returns the webhook-signature of a message, as Standard Webhooks define it.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	k, err := webhook.ParseKey(secret)
	if err != nil {
		return "", err
	}
	return k.Sign(id, at, body), nil
}

// Verify checks the signature of a message that was received: its headers and
// its body. The error says what is wrong.
func Verify(secret string, h http.Header, body []byte) error {
	k, err := webhook.ParseKey(secret)
	if err != nil {
		return err
	}
	return k.Verify(h, body)
}

// key returns the key that signs requests, or nil if they are not signed. A file
// is read for each call, so that a secret may be replaced at any time.
func (c *Config) key(vars []string) (webhook.Key, error) {
	if c.SecretFile != "" {
		text, err := webhook.ReadSecret(c.SecretFile)
		if err != nil {
			return nil, err
		}
		return webhook.ParseKey(text)
	}
	text, err := environ.Expand("the secret", c.Secret, vars)
	if err != nil || c.Secret == "" {
		return nil, err
	}
	return webhook.ParseKey(text)
}

// verifyAnswer checks the signature of an answer to a request. A server that only
// sends the request back, signature and all, has not answered.
func verifyAnswer(k webhook.Key, h http.Header, body []byte, sent *Message) error {
	if err := k.Verify(h, body); err != nil {
		return err
	}
	if h.Get("webhook-id") != sent.ID {
		return errors.New("it is signed for another request: its webhook-id must be that of the request")
	}
	if bytes.Equal(body, sent.Body) {
		return errors.New("it is the request itself, sent back")
	}
	return nil
}
