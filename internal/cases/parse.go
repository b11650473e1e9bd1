package cases

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/visible"
	"github.com/hookway/hookway/wire"
	"go.yaml.in/yaml/v4"
)

// Options say what a test file may name.
type Options struct {
	// Lookup finds an event by name; nil is hook.Lookup.
	Lookup func(name string) (*hook.EventInfo, error)

	// Envelope is what the events have that do not say more themselves: their
	// session, agent, source and working directory.
	Envelope hook.Envelope
}

// Read reads a test file from the disk; see Parse.
func Read(file string, options Options) ([]*Case, strict.Problems) {
	data, err := readUpTo(file, maxFile)
	if err != nil {
		return nil, strict.Problems{{File: file, Message: "the file cannot be read: " + cause(err).Error()}}
	}
	return Parse(file, data, options)
}

// readUpTo reads a file, and one byte more than the limit if it is longer.
func readUpTo(file string, limit int64) ([]byte, error) {
	f, err := disk.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// cause is a file error without the file's name, which stands before it already.
func cause(err error) error {
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Parse reads the text of a test file. Payload files are looked for beside it.
// There are no cases if there is a problem.
func Parse(file string, data []byte, options Options) ([]*Case, strict.Problems) {
	if options.Lookup == nil {
		options.Lookup = hook.Lookup
	}
	root, problems := strict.DocumentUpTo(maxFile, file, data)
	if len(problems) > 0 {
		return nil, problems
	}
	p := &parser{reader: reader{strict.Reader{File: file, Bounds: &bounds}}, options: options, names: map[string]*Case{}}
	p.root(root)
	if len(p.Problems) > 0 {
		return nil, p.Problems.Sorted()
	}
	return p.cases, nil
}

type parser struct {
	reader
	options Options
	cases   []*Case
	names   map[string]*Case
}

// skeleton is shown for a file without cases.
const skeleton = "begin with:\n      cases:\n        - event: PreToolUse\n          payload: {tool_name: Bash, tool_input: {command: ls}}\n          expect: {action: continue}"

func (p *parser) root(root *yaml.Node) {
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		p.Fail(&yaml.Node{Line: 1, Column: 1}, skeleton, "the file has no cases")
		return
	}
	found := keys(&p.reader, root, "the file", map[string]func(entry){"cases": func(e entry) { p.list(e.Value) }})
	if found != nil && found["cases"] == nil {
		p.Fail(root, skeleton, "the file has no cases")
	}
}

func (p *parser) list(at *yaml.Node) {
	n, ok := p.Enter(at)
	switch {
	case !ok:
	case n.Kind != yaml.SequenceNode:
		p.Fail(at, "begin each case with a dash", "cases must be a list, not %s", strict.Describe(n))
	case len(n.Content) == 0:
		p.Fail(at, skeleton, "the file has no cases")
	default:
		for i, item := range n.Content {
			p.one(item, i+1)
		}
	}
}

// written is a case as it stands in the file.
type written struct {
	name, event               *string
	agent, session, cwd, from string
	payload                   *yaml.Node
	payloadFile               string
	expect                    *yaml.Node
	info                      *hook.EventInfo
}

func (p *parser) one(at *yaml.Node, number int) {
	var w written
	text := func(into *string) func(entry) {
		return func(e entry) { *into, _ = p.text(e.Value, e.Key.Value, false) }
	}
	found := keys(&p.reader, at, "a case", map[string]func(entry){
		"name": func(e entry) { w.name = p.name(e.Value) },
		"event": func(e entry) {
			if s, ok := p.text(e.Value, "event", false); ok {
				w.event, w.info = &s, p.lookup(e.Value, s)
			}
		},
		"agent": text(&w.agent), "session": text(&w.session), "cwd": text(&w.cwd), "source": text(&w.from),
		"payload":      func(e entry) { w.payload = e.Value },
		"payload_file": text(&w.payloadFile),
		"expect":       func(e entry) { w.expect = e.Value },
	})
	if found == nil {
		return
	}
	if found["event"] == nil {
		p.Fail(at, "name it, as in event: PreToolUse", "the case has no event")
	}
	if found["payload"] != nil && found["payload_file"] != nil {
		p.Fail(found["payload_file"], "take one of them out", "payload and payload_file are both here")
	}
	c := &Case{File: p.File, Line: at.Line, Column: at.Column, Event: w.info}
	if w.expect == nil {
		p.Fail(at, "say what the hooks must do, as in expect: {action: block}", "the case expects nothing")
	} else {
		c.expectations = p.expectations(w.expect, w.info)
	}
	p.fill(c, &w, found["payload_file"])
	if c.Name = p.nameOf(c, &w, number); c.Name != "" {
		p.taken(c, cmp.Or(found["name"], at))
	}
	p.cases = append(p.cases, c)
}

// name reads a case's name, which is one line.
func (p *parser) name(at *yaml.Node) *string {
	s, ok := p.text(at, "name", false)
	if !ok {
		return nil
	}
	if visible.Line(s) != s || strings.TrimSpace(s) != s {
		p.Fail(at, "", "the name %q must be one line without blanks around it", strict.Clip(s))
		return nil
	}
	return &s
}

func (p *parser) nameOf(c *Case, w *written, number int) string {
	switch {
	case w.name != nil:
		return *w.name
	case c.Event != nil:
		return fmt.Sprintf("%s %d", c.Event.Name, number)
	}
	return ""
}

func (p *parser) taken(c *Case, at *yaml.Node) {
	if first := p.names[c.Name]; first != nil {
		p.Fail(at, "give it a name of its own", "the name %q is taken by the case in line %d", strict.Clip(c.Name), first.Line)
		return
	}
	p.names[c.Name] = c
}

func (p *parser) lookup(at *yaml.Node, name string) *hook.EventInfo {
	info, err := p.options.Lookup(name)
	if err != nil {
		message, hint, _ := strings.Cut(err.Error(), "; ")
		p.Fail(at, hint, "%s", message)
		return nil
	}
	return info
}

// fill reads the payload and makes the event.
func (p *parser) fill(c *Case, w *written, fileKey *yaml.Node) {
	at, what, ok := w.payload, "payload", true
	switch {
	case w.payloadFile != "":
		at, what = fileKey, "payload in "+strict.Clip(w.payloadFile)
		c.payloadFile = filepath.FromSlash(w.payloadFile)
		if !filepath.IsAbs(c.payloadFile) {
			c.payloadFile = filepath.Join(filepath.Dir(p.File), c.payloadFile)
		}
		data, err := readUpTo(c.payloadFile, wire.MaxSize)
		if err != nil {
			p.Fail(at, "it is looked for beside the test file", "payload_file %s cannot be read: %v", strict.Clip(w.payloadFile), cause(err))
			return
		}
		c.payload = data
	case at != nil:
		var m map[string]any
		if m, ok = p.object(at, "payload"); ok {
			c.payload = json.RawMessage(compact(m))
		}
	default:
		c.payload = json.RawMessage("{}")
	}
	if !ok || w.info == nil {
		return
	}
	ev, err := wire.NewEvent(w.info, c.payload)
	if err != nil {
		p.misfit(at, what, w.info, err)
		return
	}
	p.envelope(c, w, ev)
}

// envelope completes the event: the case's words go before the payload's, and
// these before what all cases have.
func (p *parser) envelope(c *Case, w *written, ev hook.AnyEvent) {
	cwd := w.cwd
	if cwd != "" && !filepath.IsAbs(cwd) {
		cwd = filepath.Join(filepath.Dir(p.File), filepath.FromSlash(cwd))
	}
	env, usual := *ev.Head(), p.options.Envelope
	env.Session = cmp.Or(w.session, env.Session, usual.Session)
	env.Agent = cmp.Or(w.agent, env.Agent, usual.Agent)
	env.Source = cmp.Or(w.from, env.Source, usual.Source)
	env.CWD = cmp.Or(cwd, env.CWD, usual.CWD)
	c.session, c.agent = w.session, w.agent
	c.elsewhere = w.cwd != "" || w.from != "" || w.session != "" && ev.Head().Session != "" || w.agent != "" && ev.Head().Agent != ""
	full, err := ev.Info().New(env, ev.Body())
	if err != nil { // the body is the event's own
		p.Fail(&yaml.Node{Line: c.Line, Column: c.Column}, "", "%v", err)
		return
	}
	c.event = full
}

// misfit records that a payload does not fit its event, at the field if it is
// one of the map's.
func (r *reader) misfit(at *yaml.Node, what string, info *hook.EventInfo, err error) {
	message := err.Error()
	if n, ok := r.Enter(at); ok && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; strings.HasPrefix(message, key.Value+":") || strings.HasPrefix(message, key.Value+".") {
				at = key
			}
		}
	}
	r.Fail(at, "", "the %s does not fit %s: %s", what, info.Name, hook.LogLine(message))
}

// fits checks fields that a payload is expected to have, each at its place.
func (r *reader) fits(n *yaml.Node, what string, info *hook.EventInfo) bool {
	if info == nil {
		return true // that is a mistake already
	}
	empty, err := info.New(hook.Envelope{}, info.NewPayload())
	if err != nil {
		r.Fail(n, "", "%v", err)
		return false
	}
	fine := true
	for _, e := range r.Pairs(n) {
		v, ok := r.Value(e.Value, what)
		if !ok {
			return false
		}
		if _, err := wire.Patch(empty, []byte(compact(map[string]any{e.Key.Value: v}))); err != nil {
			message, hint, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "patch: "), "patch."), "; ")
			r.Fail(e.Key, hint, "%s: %s", what, hook.LogLine(message))
			fine = false
		}
	}
	return fine
}
