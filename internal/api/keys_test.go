package api

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// answered claims a key and answers it, and reports whether it was new.
func answered(t *testing.T, ks *keys, key string, reply []byte) (isNew bool) {
	t.Helper()
	k, mine, err := ks.claim(key, sha256.Sum256(nil))
	if err != nil {
		t.Fatal(err)
	}
	if mine {
		if _, err := ks.settle(k, func() ([]byte, error) { return reply, nil }); err != nil {
			t.Fatal(err)
		}
	}
	return mine
}

func TestKeysAreForgottenInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ks keys
		if !answered(t, &ks, "a", []byte("yes")) {
			t.Error("the first request is answered without asking")
		}
		time.Sleep(keyTime - time.Second)
		if answered(t, &ks, "a", nil) {
			t.Error("the same request is asked again")
		}
		time.Sleep(time.Second)
		if !answered(t, &ks, "a", []byte("yes")) {
			t.Error("the answer is kept for longer than it says")
		}
		if ks.answered.Len() != 1 || len(ks.known) != 1 || ks.size != 3 {
			t.Errorf("it holds %d answers, %d keys, %d bytes", ks.answered.Len(), len(ks.known), ks.size)
		}
	})
}

func TestKeysAreBounded(t *testing.T) {
	var ks keys
	open, _, err := ks.claim("under way", sha256.Sum256(nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxKeys {
		answered(t, &ks, fmt.Sprint(i), []byte("yes"))
	}
	if ks.answered.Len() > maxKeys || len(ks.known) > maxKeys+1 {
		t.Errorf("it holds %d answers, %d keys", ks.answered.Len(), len(ks.known))
	}
	large := bytes.Repeat([]byte("x"), maxReply)
	for i := range 2 * maxReplies / maxReply {
		answered(t, &ks, fmt.Sprint("large", i), large)
	}
	if ks.size > maxReplies {
		t.Errorf("it holds %d bytes", ks.size)
	}
	if k, mine, err := ks.claim("under way", sha256.Sum256(nil)); k != open || mine || err != nil {
		t.Errorf("a request under way was forgotten: %v, %v", mine, err)
	}
}

func TestAFailureOfAKeyIsNotKept(t *testing.T) {
	var ks keys
	k, _, err := ks.claim("a", sha256.Sum256(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ks.settle(k, func() ([]byte, error) { return nil, errors.New("full") }); err == nil {
		t.Error("the failure is lost")
	}
	if !answered(t, &ks, "a", []byte("yes")) || ks.answered.Len() != 1 {
		t.Error("a request that failed is not asked again")
	}
}
