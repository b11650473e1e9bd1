package api

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/loopback"
)

// TokenFile is where the token of a state folder is.
func TokenFile(state string) string { return filepath.Join(state, "token") }

// Token reads the token of a state folder, and makes one if there is none. Who
// has it can fire events as the user, so the file is for the user alone.
func Token(state string) (string, error) {
	path := TokenFile(state)
	for range 2 {
		token, err := readToken(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return token, err
		}
		if err := writeToken(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("the token cannot be made: %w", err)
		}
	}
	return readToken(path)
}

// leastToken is how long a token is at least; users may write their own.
const leastToken = 20

func readToken(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || !alone(info) {
		return "", fmt.Errorf("others may read the token in %s, or it is not a file; run: chmod 600 %s, or remove it to have a new one made", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < leastToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("the token in %s is too short or has spaces; remove the file to have a new one made", path)
	}
	return token, nil
}

// writeToken makes a token, unless somebody else is quicker.
func writeToken(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	token := rand.Text() + rand.Text() // letters and digits: a word that begins with "-" is an option to most programs
	f, err := os.CreateTemp(filepath.Dir(path), "token*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

// let refuses a request that did not come from the daemon's socket and is not the user's own.
func (d *Server) let(o origin, host string, header http.Header) error {
	if o.listener == nil && !o.foreign { // the system has said whose it is
		return nil
	}
	if err := d.meant(o, host, header, nil); err != nil {
		return err
	}
	if given := header.Values("Authorization"); !d.hasToken(given) {
		what := "there is no header Authorization; it must be Bearer and the token"
		if len(given) > 0 {
			what = "the token in the header Authorization is not the daemon's"
		}
		return problem("no-token", "%s, whose file hookway serve --token names", what).with("WWW-Authenticate", `Bearer realm="hookway"`)
	}
	return nil
}

// meant refuses a request that a name led here which is not the listener's own, nor one
// of these, or that a page in a browser made.
func (d *Server) meant(o origin, host string, header http.Header, also []string) error {
	if o.listener == nil || !o.listener.isCalled(host, o.local) && !slices.Contains(also, bareHost(host)) {
		return problem("not-here", "the request is for the host %q, which is not what hookway listens at; use the address that hookway serve was given", host)
	}
	if origin := header.Get("Origin"); origin != "" {
		return problem("not-here", "the request comes from a page of %q in a browser; pages may not talk to hookway", origin)
	}
	return nil
}

// hasToken compares in a time that does not tell how much is right.
func (d *Server) hasToken(given []string) bool {
	if d.Token == "" || len(given) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	right := subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(d.Token)) == 1
	return strings.EqualFold(scheme, "Bearer") && right
}

// bareHost is the name in a Host header, without its port.
func bareHost(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isCalled reports whether a Host header means this listener: a page whose name was
// made to lead here has another.
func (l *Listener) isCalled(host string, local net.Addr) bool {
	if l.private {
		return true
	}
	name := bareHost(host)
	if loopback.Host(name) || slices.Contains(l.names, name) {
		return true
	}
	ip := net.ParseIP(name)
	at, ok := local.(*net.TCPAddr)
	return ip != nil && ok && at.IP.Equal(ip)
}
