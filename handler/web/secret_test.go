package web

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestASecretInAFileMayBeReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hook.secret")
	valid := make(chan string, 1)
	h, _ := serve(t, Config{SecretFile: path, Verify: false}, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a part of it has a wrong signature
		for _, secret := range []string{testSecret, otherSecret} {
			if Verify(secret, r.Header, body) == nil {
				valid <- secret
				return
			}
		}
		valid <- "none"
	})
	for _, secret := range []string{testSecret, otherSecret} {
		if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
			t.Fatal(err)
		}
		if got := <-valid; got != secret {
			t.Errorf("it was signed with %s, want %s", got, secret)
		}
	}
}

func TestAFileThatIsNoSecretIsAFailure(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, text, want string
		mode             os.FileMode
	}{
		{"open", testSecret, "chmod 600", 0o644},
		{"other", "hidden", "whsec_", 0o600},
		{"long", strings.Repeat("hidden", 1000), "too long", 0o600},
	} {
		if tt.name == "open" && runtime.GOOS == "windows" {
			continue // it has other rights
		}
		if err := os.WriteFile(filepath.Join(dir, tt.name), []byte(tt.text), tt.mode); err != nil {
			t.Fatal(err)
		}
		unsigned(t, filepath.Join(dir, tt.name), tt.want)
	}
	unsigned(t, filepath.Join(dir, "missing"), "make one with")
	unsigned(t, dir, "is not a file")
	if _, err := New(Config{URL: "https://example.com", Secret: testSecret, SecretFile: "x"}); err == nil || !strings.Contains(err.Error(), "take one of them out") {
		t.Errorf("both: %v", err)
	}
}

// unsigned sends an event that must be signed with the secret of a file.
func unsigned(t *testing.T, path, want string) {
	t.Helper()
	h, _ := serve(t, Config{SecretFile: path}, func(http.ResponseWriter, *http.Request) {
		t.Error("it was sent")
	})
	_, err := h.Handle(t.Context(), bash("ls"))
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("%s: %v; want %q", path, err, want)
	}
}
