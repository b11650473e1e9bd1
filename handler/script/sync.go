package script

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
)

// hostSync answers what a script asks at once. Nothing here may wait.
func (m *machine) hostSync(args []any) (any, error) {
	answer := answerOf(text(args, 0))
	if answer == nil {
		return nil, fmt.Errorf("the host knows no %s", text(args, 0))
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(text(args, 1)), &list); err != nil {
		return nil, fmt.Errorf("what the script asks cannot be read: %w", err)
	}
	value, err := answer(m, list)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(value)
	return string(data), err
}

// answerOf finds what answers a question at once, or nil.
func answerOf(name string) func(*machine, []json.RawMessage) (any, error) {
	switch name {
	case "uuid":
		return func(*machine, []json.RawMessage) (any, error) { return uuid(), nil }
	case "random":
		return random
	case "utf8":
		return decodeUTF8
	case "url":
		return parseURL
	case "platform":
		return func(*machine, []json.RawMessage) (any, error) { return bundle.Platform(), nil }
	case "getenv":
		return getenv
	case "environ":
		return environ
	case "cwd":
		return func(m *machine, _ []json.RawMessage) (any, error) { return m.folder(), nil }
	case "session":
		return session
	case "output":
		return output
	case "messages":
		return messages
	case "inject":
		return inject
	case "settings":
		return func(m *machine, _ []json.RawMessage) (any, error) {
			if m.p.c.Settings == nil {
				return nil, nil
			}
			return m.p.c.Settings, nil
		}
	case "opened":
		return opened
	case "together":
		return together
	case "stopped":
		return stopped
	case "register":
		return lateRegister
	case "unregister":
		return lateUnregister
	case "digest":
		return digest
	case "derive":
		return derive
	case "squeeze":
		return squeeze
	case "spawnSync":
		return spawnSync
	case "spawn":
		return spawn
	case "signal":
		return signalLink
	case "connect":
		return connect
	}
	if answer := processAnswers[name]; answer != nil {
		return answer
	}
	if op, ok := fileOps[name]; ok {
		return op.now(name)
	}
	return nil
}

// str reads an argument that is a text.
func str(args []json.RawMessage, i int) string {
	var s string
	if i < len(args) {
		_ = json.Unmarshal(args[i], &s) // anything else is not text
	}
	return s
}

func uuid() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// maxRandom is how many bytes the web platform gives at once.
const maxRandom = 65536

func random(_ *machine, args []json.RawMessage) (any, error) {
	var n int
	if len(args) == 0 || json.Unmarshal(args[0], &n) != nil || n < 0 || n > maxRandom {
		return nil, fmt.Errorf("at most %d random bytes at once", maxRandom)
	}
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return base64.StdEncoding.EncodeToString(b), nil
}

// decodeUTF8 gives null for bytes that are not UTF-8, if that is wanted.
func decodeUTF8(_ *machine, args []json.RawMessage) (any, error) {
	data, err := base64.StdEncoding.DecodeString(str(args, 0))
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(data) {
		if len(args) > 1 && string(args[1]) == "true" {
			return nil, nil
		}
		return strings.ToValidUTF8(string(data), "\uFFFD"), nil
	}
	return string(data), nil
}

// address is a URL in the parts that the web platform has.
type address struct {
	Protocol string `json:"protocol"`
	Username string `json:"username"`
	Password string `json:"password"`
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Pathname string `json:"pathname"`
	Search   string `json:"search"`
	Hash     string `json:"hash"`
	Opaque   bool   `json:"opaque"`
}

var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

func parseURL(_ *machine, args []json.RawMessage) (any, error) {
	wrong := func(err error) (any, error) {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return map[string]string{"error": err.Error()}, nil
	}
	u, err := url.Parse(strings.TrimSpace(str(args, 0)))
	if err != nil {
		return wrong(err)
	}
	if base := str(args, 1); base != "" && !u.IsAbs() {
		b, err := url.Parse(base)
		if err != nil {
			return wrong(err)
		}
		u = b.ResolveReference(u)
	}
	if !u.IsAbs() {
		return wrong(errors.New("it has no scheme such as https:, and no base"))
	}
	special := defaultPorts[u.Scheme] != ""
	if special && u.Hostname() == "" {
		return wrong(errors.New("it has no host"))
	}
	a := address{Protocol: u.Scheme + ":", Hostname: strings.ToLower(u.Hostname()), Port: u.Port(), Pathname: u.EscapedPath()}
	if u.User != nil {
		a.Username = url.User(u.User.Username()).String()
		if p, ok := u.User.Password(); ok {
			a.Password = url.User(p).String()
		}
	}
	if strings.Contains(a.Hostname, ":") {
		a.Hostname = "[" + a.Hostname + "]"
	}
	if a.Port == defaultPorts[u.Scheme] {
		a.Port = ""
	}
	if u.Opaque != "" {
		a.Pathname, a.Opaque = u.Opaque, true
	} else if u.Host == "" && !special && u.Scheme != "file" {
		a.Opaque = true
	} else if a.Pathname == "" && special {
		a.Pathname = "/"
	}
	if u.RawQuery != "" {
		a.Search = "?" + u.RawQuery
	}
	if u.Fragment != "" {
		a.Hash = "#" + u.EscapedFragment()
	}
	return a, nil
}

// environOf is the environment of the event that is handled.
func (m *machine) environOf() []string {
	if m.cur == nil {
		return os.Environ()
	}
	return environIn(m.cur.ctx, m.p)
}

func environIn(ctx context.Context, p *Program) []string {
	if r := runOf(ctx); r != nil && r.Environ != nil {
		return r.Environ
	}
	env := eventEnviron(ctx, p)
	return append(env[:len(env):len(env)], p.c.Env...)
}

func eventEnviron(ctx context.Context, p *Program) []string {
	if w, ok := hook.SessionOf(ctx); ok {
		return w.Env()
	}
	if p.c.Environ != nil {
		return p.c.Environ(ctx)
	}
	return os.Environ()
}

func getenv(m *machine, args []json.RawMessage) (any, error) {
	value, ok := variable(m.environOf(), str(args, 0))
	if !ok || !m.p.sees(str(args, 0)) {
		return nil, nil
	}
	return value, nil
}

// variable finds the last entry of a name.
func variable(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(environ[i], "=")
		if ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
			return value, true
		}
	}
	return "", false
}

func environ(m *machine, _ []json.RawMessage) (any, error) {
	all := map[string]string{}
	for _, entry := range m.environOf() {
		if key, value, ok := strings.Cut(entry, "="); ok && key != "" && m.p.sees(key) {
			all[key] = value
		}
	}
	return all, nil
}

// folder is where the agent works whose event is handled.
func (m *machine) folder() string {
	if m.cur == nil {
		return m.p.c.Root
	}
	return m.p.workDir(m.cur.ctx)
}

// headKey finds the envelope of the event that is handled in a context.
type headKey struct{}

func headOf(ctx context.Context) *hook.Envelope {
	if head, ok := ctx.Value(headKey{}).(*hook.Envelope); ok {
		return head
	}
	return new(hook.Envelope)
}

func (p *Program) workDir(ctx context.Context) string {
	if r := runOf(ctx); r != nil && cmp.Or(r.dir, r.Dir) != "" {
		return cmp.Or(r.dir, r.Dir)
	}
	if w, ok := hook.SessionOf(ctx); ok && w.Dir() != "" {
		return w.Dir()
	}
	if dir := headOf(ctx).CWD; filepath.IsAbs(dir) {
		return dir
	}
	return p.c.Root
}

func session(m *machine, _ []json.RawMessage) (any, error) {
	about := map[string]string{"dir": m.folder()}
	if m.cur == nil {
		return about, nil
	}
	head := headOf(m.cur.ctx)
	about["id"], about["agent"] = head.Session, head.Agent
	if w, ok := hook.SessionOf(m.cur.ctx); ok {
		about["id"], about["agent"] = w.ID(), w.Name()
	}
	return about, nil
}

// wrapped is the session whose event is handled, or nil.
func (m *machine) wrapped() hook.Wrapped {
	if m.cur == nil {
		return nil
	}
	w, ok := hook.SessionOf(m.cur.ctx)
	if !ok {
		return nil
	}
	return w
}

func output(m *machine, _ []json.RawMessage) (any, error) {
	if w := m.wrapped(); w != nil {
		lines, err := w.Output(0)
		if lines == nil {
			lines = []string{}
		}
		return lines, err
	}
	return []string{}, nil
}

func messages(m *machine, _ []json.RawMessage) (any, error) {
	if w := m.wrapped(); w != nil {
		if list := w.Messages(); list != nil {
			return list, nil
		}
	}
	return []hook.Message{}, nil
}

// inject has a text typed to a wrapped program. Without one it says so, and the
// text goes with the answer. That the program has ended is only noted: a hook that
// learns of the end cannot know whether anyone is left to receive it.
func inject(m *machine, args []json.RawMessage) (any, error) {
	w := m.wrapped()
	if w == nil {
		return false, nil
	}
	err := w.Inject(str(args, 0))
	if errors.Is(err, hook.ErrSessionOver) {
		m.say(fmt.Sprintf("%s: nobody is told what it injects: %v", m.p.label(), err))
		err = nil
	}
	return true, err
}
