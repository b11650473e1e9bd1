package notify

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hookway/hookway/internal/webhook"
)

// Secret says where a secret is: in a variable, in a file of its owner's, or nowhere.
type Secret struct{ Env, File string }

// IsSet reports whether there is to be one.
func (s Secret) IsSet() bool { return s != Secret{} }

// read reads it, as it is now. No error shows any of it.
func (s Secret) read(getenv func(string) string) (string, error) {
	if s.File != "" {
		text, err := webhook.ReadSecret(s.File)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", &RefusedError{fmt.Sprintf("the file %s with the access token is not there", s.File)}
		case err != nil:
			return "", &RefusedError{err.Error()}
		case text == "":
			return "", &RefusedError{fmt.Sprintf("the file %s with the access token is empty", s.File)}
		}
		return text, nil
	}
	if s.Env == "" {
		return "", nil
	}
	text := getenv(s.Env)
	if text == "" {
		return "", &RefusedError{fmt.Sprintf("the variable %s is not set in the daemon's environment; set it for hookway serve, or use a file: a daemon that is started on demand has no variables of yours", s.Env)}
	}
	return text, nil
}
