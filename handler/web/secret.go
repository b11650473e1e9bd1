package web

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/environ"
)

// maxSecret bounds a file with a secret. A longer one has something else in it.
const maxSecret = 4 << 10

// signing gives the key that signs requests, or nil if they are not signed. A file
// is read for each call, so that a secret may be replaced at any time.
func (c *Config) signing(vars []string) ([]byte, error) {
	if c.SecretFile != "" {
		text, err := Secret(c.SecretFile)
		if err != nil {
			return nil, err
		}
		return key(text)
	}
	text, err := environ.Expand("the secret", c.Secret, vars)
	if err != nil || c.Secret == "" {
		return nil, err
	}
	return key(text)
}

// Secret reads a secret that its owner keeps in a file of its own. No error
// shows any of it.
func Secret(path string) (string, error) {
	info, err := os.Stat(path) // to open what is not a file may wait for ever
	switch {
	case err != nil:
		return "", fmt.Errorf("the file of the secret cannot be read; make one with: echo whsec_$(head -c 32 /dev/urandom | base64): %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("the file of the secret, %s, is not a file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("the file of the secret, %s, is open to other users; run chmod 600 on it", path)
	}
	f, err := disk.Open(path)
	if err != nil {
		return "", fmt.Errorf("the file of the secret cannot be read: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("the file of the secret cannot be read: %w", err)
	}
	if len(text) > maxSecret {
		return "", errors.New("the file of the secret is too long; it has the secret and nothing else")
	}
	return strings.TrimSpace(string(text)), nil
}
