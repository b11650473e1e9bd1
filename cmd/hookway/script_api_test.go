package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// ask is a story's client of the daemon: ask METHOD PATH [BODY-FILE] ['Name: value'...].
// A path is asked for at the socket, a URL where it says. Headers may have $TOKEN,
// which is what the file .token names. Of a stream, it prints the first event.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: ask METHOD PATH [BODY-FILE] ['Name: value'...]")
	}
	method, url, rest := args[0], args[1], args[2:]
	client := &http.Client{Timeout: time.Minute}
	if strings.HasPrefix(url, "/") {
		socket := ts.Getenv("HOOKWAY_HOME") + "/run/hookway.sock"
		client.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}
		url = "http://hookway" + url
	}
	var body io.Reader
	if len(rest) > 0 && !strings.Contains(rest[0], ": ") {
		body, rest = strings.NewReader(os.Expand(ts.ReadFile(rest[0]), ts.Getenv)), rest[1:]
	}
	r, err := http.NewRequest(method, url, body)
	ts.Check(err)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range rest {
		name, value, _ := strings.Cut(header, ": ")
		if strings.Contains(value, "TOKEN") {
			token, err := os.ReadFile(strings.TrimSpace(ts.ReadFile("token-file")))
			ts.Check(err)
			value = strings.ReplaceAll(value, "TOKEN", strings.TrimSpace(string(token)))
		}
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	ts.Check(err)
	defer response.Body.Close()
	_, _ = io.WriteString(ts.Stdout(), response.Status+"\n")
	if response.Header.Get("Content-Type") == "text/event-stream" {
		ts.Check(firstEvent(ts.Stdout(), response.Body))
	} else {
		_, err = io.Copy(ts.Stdout(), response.Body)
		ts.Check(err)
	}
	if failed := response.StatusCode >= 300; failed != neg {
		ts.Fatalf("got %s %s: %s, want failed == neg", method, url, response.Status)
	}
}

// firstEvent copies a stream until the end of its first event.
func firstEvent(to io.Writer, stream io.Reader) error {
	seen := false
	for in := bufio.NewScanner(stream); in.Scan(); {
		line := in.Text()
		if _, err := io.WriteString(to, line+"\n"); err != nil {
			return err
		}
		if seen = seen || strings.HasPrefix(line, "event: "); seen && line == "" {
			return nil
		}
	}
	return io.ErrUnexpectedEOF
}

// envFrom sets the variables of a file of NAME=value lines: env-from FILE.
func envFrom(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: env-from FILE")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			ts.Setenv(name, value)
		}
	}
}
