package approve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"errors"
)

// Token makes a secret by which an open request can be answered from outside, over a
// channel. The file has only its hash. It is good for one answer: once the request is
// answered, however, no token of it is good any more. seen is the request as it is shown: an
// answer is for as many calls as waited then.
func (s *Store) Token(ctx context.Context, seen Request, channel string) (string, error) {
	token := rand.Text()
	err := s.file.Write(ctx, func(tx *sql.Tx) error {
		r, err := s.find(ctx, tx, seen.Code)
		if err == nil && r.key != seen.key {
			err = &RefusedError{Code: seen.Code}
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO token (hash, code, call, channel, waiters) VALUES (?, ?, ?, ?, ?)", hashed(token), r.Code, r.key, channel, seen.Waiters)
		return err
	})
	if err != nil {
		return "", s.explain("changed", err)
	}
	return token, nil
}

func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Redeem gives the open request that a token of a channel is for, with the number of calls
// that waited when it was shown; [Store.Answer] uses the token up. One of another channel, or that nobody made, and one of a request that was
// answered or has expired is a *RefusedError.
func (s *Store) Redeem(ctx context.Context, token, channel string) (Request, error) {
	foreign := &RefusedError{text: "this token answers nothing: it is wrong, of another channel, or its request is long over"}
	hash := hashed(token)
	var is, code, call, of string
	var waiters int
	err := s.file.QueryRowContext(ctx, "SELECT hash, code, call, channel, waiters FROM token WHERE hash = ?", hash).Scan(&is, &code, &call, &of, &waiters)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Request{}, foreign
	case err != nil:
		return Request{}, s.explain("read", err)
	}
	if subtle.ConstantTimeCompare([]byte(is), []byte(hash))&subtle.ConstantTimeCompare([]byte(of), []byte(channel)) != 1 {
		return Request{}, foreign
	}
	r, err := s.find(ctx, s.file, code)
	if err == nil && r.key != call {
		err = foreign
	}
	r.Waiters = waiters
	return r, s.explain("read", err)
}
