package webhook

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

// maxSecret bounds a file with a secret. A longer one has something else in it.
const maxSecret = 4 << 10

// ReadSecret reads a file that holds a secret, and nothing else. Only its owner may have
// access to it. No error shows any of it.
func ReadSecret(path string) (string, error) {
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
