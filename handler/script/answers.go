package script

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/environ"
)

// hostSync answers what a script asks at once. Nothing here may wait.
func (m *machine) hostSync(args []any) (any, error) {
	answer := answers[text(args, 0)]
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

// answer is what the host says to a script's question at once.
type answer func(*machine, []json.RawMessage) (any, error)

// answers are those that there are, by what the script asks for.
var answers map[string]answer

func init() { // the answers lead back to the table
	answers = map[string]answer{
		"uuid":       func(m *machine, _ []json.RawMessage) (any, error) { return m.uuid(), nil },
		"platform":   func(*machine, []json.RawMessage) (any, error) { return bundle.Platform(), nil },
		"cwd":        func(m *machine, _ []json.RawMessage) (any, error) { return m.folder(), nil },
		"settings":   settings,
		"random":     random,
		"utf8":       decodeUTF8,
		"url":        parseURL,
		"getenv":     getenv,
		"environ":    allVariables,
		"session":    session,
		"output":     output,
		"messages":   messages,
		"inject":     inject,
		"opened":     opened,
		"together":   together,
		"stopped":    stopped,
		"near":       near,
		"register":   lateRegister,
		"unregister": lateUnregister,
		"digest":     digest,
		"derive":     derive,
		"squeeze":    squeeze,
		"spawnSync":  spawnSync,
		"spawn":      spawn,
		"signal":     signalLink,
		"connect":    connect,
	}
	maps.Copy(answers, ofProcess())
	for name, op := range fileOps() {
		answers[name] = op.now(name)
	}
}

func settings(m *machine, _ []json.RawMessage) (any, error) {
	if m.p.c.Settings == nil {
		return nil, nil
	}
	return m.p.c.Settings, nil
}

func (m *machine) uuid() string {
	b := make([]byte, 16)
	m.draw(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// maxRandom is how many bytes the web platform gives at once.
const maxRandom = 65536

func random(m *machine, args []json.RawMessage) (any, error) {
	var n int
	if len(args) == 0 || json.Unmarshal(args[0], &n) != nil || n < 0 || n > maxRandom {
		return nil, fmt.Errorf("at most %d random bytes at once", maxRandom)
	}
	b := make([]byte, n)
	m.draw(b)
	return base64.StdEncoding.EncodeToString(b), nil
}

// decodeUTF8 returns null for bytes that are not UTF-8, if that is wanted.
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

func getenv(m *machine, args []json.RawMessage) (any, error) {
	value, ok := environ.Lookup(m.environOf(), str(args, 0))
	if !ok || !m.p.sees(str(args, 0)) {
		return nil, nil
	}
	return value, nil
}

func allVariables(m *machine, _ []json.RawMessage) (any, error) {
	all := map[string]string{}
	for _, entry := range m.environOf() {
		if key, value, ok := strings.Cut(entry, "="); ok && key != "" && m.p.sees(key) {
			all[key] = value
		}
	}
	return all, nil
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
		m.say(fmt.Sprintf("%s: what it injects reaches no agent: %v", m.p.label(), err))
		err = nil
	}
	return true, err
}
