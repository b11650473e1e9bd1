//go:build unix

package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// The test binary is also the program that the tests run: as a hook, or as a
// worker, that behaves as the variable says.
const (
	playOnce   = "COMMAND_TEST_ONCE"
	playWorker = "COMMAND_TEST_WORKER"
	playLean   = "COMMAND_TEST_LEAN"
	playDaemon = "COMMAND_TEST_DAEMON"
	playHost   = "COMMAND_TEST_HOST"
)

// atOnce lets the test binary end at once when it was built with -race, which
// otherwise waits a second for reports.
const atOnce = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(playOnce) != "":
		once(behaviour(playOnce))
	case os.Getenv(playWorker) != "":
		serve(behaviour(playWorker))
	case os.Getenv(playDaemon) != "":
		daemon(os.Getenv(playDaemon))
	case os.Getenv(playLean) != "":
		serveLean()
	case os.Getenv(playHost) != "":
		host(os.Getenv(playHost))
	default:
		os.Exit(m.Run())
	}
}

func behaviour(variable string) (b hooktest.Behaviour) {
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &b); err != nil {
		fmt.Fprintln(os.Stderr, "the behaviour cannot be read:", err)
		os.Exit(1)
	}
	return b
}

// variable makes the test binary behave so.
func variable(name string, b hooktest.Behaviour) string {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return name + "=" + string(text)
}

// once is a hook: one event, one answer.
func once(b hooktest.Behaviour) {
	var event []byte
	if b.Kind != hooktest.Deaf {
		event, _ = io.ReadAll(os.Stdin)
	}
	answer, err := b.Perform(context.Background(), event)
	os.Stdout.Write(answer)
	finish(err)
}

func finish(err error) {
	switch {
	case errors.Is(err, hooktest.ErrCrash):
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is a worker.
func serve(b hooktest.Behaviour) {
	if b.Kind == hooktest.Deaf {
		var some [64]byte
		io.ReadFull(os.Stdin, some[:]) // that it was asked, and no more
		fmt.Printf(`{"jsonrpc":"2.0","id":1,"result":%s}`+"\n", b.Text)
		<-time.After(time.Hour) // waiting for nothing at all is a deadlock to Go
	}
	var mu sync.Mutex
	cancels := map[int64]context.CancelFunc{}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     int64           `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			finish(err)
		}
		if m.Method == "cancel" {
			var p struct {
				ID int64 `json:"id"`
			}
			json.Unmarshal(m.Params, &p)
			mu.Lock()
			if cancel := cancels[p.ID]; cancel != nil {
				cancel()
			}
			mu.Unlock()
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		mu.Lock()
		cancels[m.ID] = cancel
		mu.Unlock()
		go func() {
			answer, err := b.Perform(ctx, m.Params)
			mu.Lock()
			defer mu.Unlock()
			delete(cancels, m.ID)
			switch {
			case errors.Is(err, hooktest.ErrCrash):
				os.Stdout.Write(answer)
				finish(err)
			case err != nil:
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":%q}}`+"\n", m.ID, err.Error())
			case json.Valid(answer):
				compact := new(bytes.Buffer)
				json.Compact(compact, answer)
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", m.ID, compact)
			default:
				os.Stdout.Write(append(answer, '\n'))
			}
		}()
	}
}

// serveLean is a worker that costs as little as a worker can: it reads no more
// of a request than its id, and always blocks.
func serveLean() {
	in := bufio.NewReaderSize(os.Stdin, 4<<20)
	var out []byte
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		_, rest, _ := bytes.Cut(line, []byte(`"id":`))
		id, _, _ := bytes.Cut(rest, []byte(","))
		out = append(append(append(out[:0], `{"jsonrpc":"2.0","id":`...), id...), `,"result":{"action":"block","reason":"no"}}`...)
		os.Stdout.Write(append(out, '\n'))
	}
}

// daemon leaves the session and the pipes of who started it, says its number
// and stays, though not for ever.
func daemon(path string) {
	syscall.Setsid()
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		f.Close()
	}
	os.WriteFile(path+".new", fmt.Appendf(nil, "%d\n", os.Getpid()), 0o644)
	os.Rename(path+".new", path)
	<-time.After(time.Minute)
}

// newHandler returns a handler that is closed at the end of the test.
func newHandler(t testing.TB, c Config) *Handler {
	t.Helper()
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// script writes an executable shell script into a folder of its own.
func script(t testing.TB, lines ...string) string {
	t.Helper()
	return file(t, "hook.sh", 0o755, append([]string{"#!/bin/sh"}, lines...)...)
}

func file(t testing.TB, name string, mode os.FileMode, lines ...string) string {
	t.Helper()
	path := t.TempDir() + "/" + name
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func bash(commandLine string) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{Session: "s-1"}, hook.ToolUse{
		ToolName: "Bash", ToolInput: map[string]any{"command": commandLine},
	})
}
