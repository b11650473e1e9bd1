package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/handler/wasm"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/wire"
)

// mergePatch is a handler that applies the same merge patch to every payload.
type mergePatch json.RawMessage

// Handle gives the changed payload.
func (p mergePatch) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	payload, err := wire.Patch(ev, p)
	if err != nil {
		return hook.Decision{}, err
	}
	return hook.Change(payload), nil
}

// tryPatch applies a patch to an empty payload of an event.
func tryPatch(info *hook.EventInfo, p json.RawMessage) error {
	ev, err := info.New(hook.Envelope{}, info.NewPayload())
	if err != nil {
		return err
	}
	_, err = wire.Patch(ev, p)
	return err
}

// found is a hook that was read, with what is needed to build it.
type found struct {
	spec    *hookSpec
	source  *source
	file    string // the hookway.yaml or the executable
	command commandLine
	node    []string // the files that Node takes in for its script
	forNode nodeFiles
	env     []string // besides the spec's
	script  *scriptFile
	module  *wasm.Module
	unasked bool   // only the file itself could say what it wants, and it may not run
	index   int    // of the hook in the script
	said    string // its id in the script, if that registers it
	late    *script.Late
	broken  error  // it cannot be asked
	at      string // place of the hook in the script, if it says so itself
}

// same is equal for hooks of Claude Code of which it runs one: the same command, or
// server, on the same condition, whatever else is said of them.
func (f *found) same() string {
	c := f.spec.claude
	switch {
	case c == nil:
		return ""
	case c.Server != nil:
		return fmt.Sprintf("%q %v %q %q %+v", c.URL, c.Server.Headers, c.Server.Allowed, c.Rule, c.Filter)
	}
	return fmt.Sprintf("%q %q %q %q %+v", f.command.shell, f.command.argv, c.Rule, f.spec.env, c.Filter)
}

// place is where the hook is written.
func (f *found) place() string {
	if f.at != "" {
		return f.at
	}
	if f.spec.node == nil || f.spec.node.Line == 0 {
		return f.file
	}
	return fmt.Sprintf("%s:%d", f.file, f.spec.node.Line)
}

// registration is the hook without its handler and id.
func (f *found) registration() hook.Hook {
	h := f.spec
	var options []hook.Option
	if h.every {
		options = append(options, hook.For("*"))
	}
	for _, info := range h.events {
		options = append(options, hook.For(info.Name))
	}
	if h.profile != nil {
		options = append(options, hook.WithProfile(*h.profile))
	}
	if h.priority != nil {
		options = append(options, hook.Priority(*h.priority))
	}
	if h.timeout != nil {
		options = append(options, hook.Timeout(*h.timeout))
	}
	if h.override {
		options = append(options, hook.Override())
	}
	options = append(options, hook.Matching(inHome(h.match, f.source.home, false)), hook.As(h.lane), hook.Retries(h.retries),
		hook.OnFailure(h.onFail), hook.Queue(h.queue), hook.Root(f.source.root), hook.Origin(f.place()))
	out := hook.New("", nil, options...)
	out.Name = h.description
	return out
}

// config is how the hook's command is run.
func (f *found) config(project string, log func(string)) command.Config {
	c := command.Config{
		Argv: f.command.argv, Shell: f.command.shell, Worker: f.spec.worker, Needs: f.spec.needs, Project: project,
		Env: append(append([]string(nil), f.env...), f.spec.env...), EventNames: f.spec.told, Log: log,
	}
	if f.spec.cwd != "" {
		c.Dir = shell.Under(f.source.dir, f.spec.cwd)
	}
	if f.spec.profile != nil {
		c.Profile = *f.spec.profile
	}
	return c
}

// shown is the command as a listing has it.
func (f *found) shown() string {
	if f.command.shell != "" {
		return f.command.shell
	}
	words := make([]string, len(f.command.argv))
	for i, w := range f.command.argv {
		words[i] = shell.Quote(w)
	}
	return strings.Join(words, " ")
}

// builder makes hooks of what was found.
type builder struct {
	*load
	scripts  *scripts
	standIn  func() (string, error) // the folder of hookway's own node, made when it is first needed
	nodeTold bool                   // there is no Node

	toldOfNode func()
}

// build makes the hook, but for its id. Only an active one gets a handler.
func (l *builder) build(f *found) (Hook, error) {
	h := Hook{
		Hook: f.registration(), State: f.source.state(f.spec), Layer: f.source.layer, File: f.file,
		Kind: f.spec.handler.kind, Description: f.spec.description, ByNode: f.spec.byNode, Unasked: f.unasked, name: f.spec.id, source: f.source.path, rank: f.source.rank,
	}
	h.Same = f.same()
	l.tellOfNode(f)
	c := f.config(l.workspace, l.opts.Log)
	c.TextPasses = h.Lane != hook.Guard && !h.Closed()
	if f.spec.byNode && h.State == Active && f.broken == nil {
		if c.Argv, f.forNode, f.broken = l.nodeArgv(f); f.broken != nil {
			l.set.Fail(f.file, strict.Line(f.broken.Error()), "until then the hook fails")
		}
	}
	pins, hash := l.show(f, &h)
	h.mark = mark(h.Hook, h.Kind, f.spec, c, pins, hash, h.Grants, f.index, f.spec.settings, f.spec.webhook, f.spec.handler.web.marked(), f.spec.handler.rpc.marked(), l.hides(f), fmt.Sprint(f.broken))
	if h.State != Active {
		return h, nil
	}
	err := l.equip(f, &h, c, pins)
	return h, err
}

// show fills in what a listing has of the hook's handler. It gives the files of that
// which trust has pinned, and the hash of what was read of them already.
func (l *builder) show(f *found, h *Hook) (pins []trust.Pin, hash string) {
	var files []string
	switch {
	case h.Kind == "command":
		h.Command, files = f.shown(), f.command.files
	case h.Kind == "script" && f.script != nil:
		h.Command, h.Grants, hash = f.source.shown(f.script.path), f.script.program.Grants(), f.script.bundle.Hash
		files = f.script.bundle.Files
	case h.Kind == "wasm" && f.module != nil:
		h.Command, h.Grants, hash = f.source.shown(f.module.File), f.spec.grants, f.module.Hash
		files = []string{f.module.File}
	case h.Kind == "http":
		h.Command = web.Label(f.spec.handler.web.URL)
	case h.Kind == "grpc":
		h.Command = rpc.Label(f.spec.handler.rpc.Target)
	}
	for _, file := range files {
		if p, ok := l.pinned.Files[file]; ok && f.source.pinned {
			pins = append(pins, p)
		}
	}
	return pins, hash
}

// equip gives the hook its handler.
func (l *builder) equip(f *found, h *Hook, c command.Config, pins []trust.Pin) error {
	switch h.Kind {
	case "modify":
		h.Handler = mergePatch(f.spec.handler.patch)
		return nil
	case "command", "script", "http", "grpc", "wasm":
	default:
		h.Handler = hook.Static(f.spec.handler.decision)
		return nil
	}
	if f.broken != nil {
		h.Handler, h.broken = broken{f.broken}, true
		return nil
	}
	program, err := l.program(f, h, c)
	if err != nil {
		return err
	}
	h.Handler, h.lease = program, program
	if f.forNode.dir != "" {
		h.Handler = newByNode(program, f.forNode)
	}
	if f.script != nil {
		h.late, h.said = f.script.late, f.said
	}
	if away := l.away(f, h.Lane); len(pins) > 0 || away != nil {
		h.Handler = &trust.Handler{Next: h.Handler, Pins: pins, Away: away}
	}
	if f.spec.claude != nil {
		return l.equipImported(f, h)
	}
	return nil
}

// equipImported gives a hook of Claude Code what it expects there.
func (l *builder) equipImported(f *found, h *Hook) (err error) {
	c := f.spec.claude
	if c.Data != "" {
		h.Handler = claudehooks.Folder{Path: c.Data, Next: h.Handler}
	}
	if l.standsIn(f) {
		h.Handler = l.withNode(h.Handler)
	}
	if h.Kind == "command" {
		h.Handler = claudehooks.EnvFile{Dir: filepath.Join(l.stateDir, "claude-env"), Next: h.Handler}
	}
	h.Handler = claudehooks.PerFile{Next: claudehooks.OwnResult{Next: h.Handler}, Finds: claudehooks.Finder(c.Tools)}
	if h.Lane == hook.Observe {
		h.Handler = claudehooks.InBackground{Texts: l.laters(), Wakes: c.Wakes, About: c.About, Next: h.Handler}
	}
	if !c.Filter.Empty() {
		h.Handler, err = claudehooks.NewFiltered(c.Filter, h.Handler)
	}
	return err
}

// hides is what a webhook that is told is not told.
func (l *builder) hides(f *found) []string {
	if f.spec.webhook == nil {
		return nil
	}
	return l.set.Settings.Redact
}

// program opens a handler that holds something as long as it is open.
func (l *builder) program(f *found, h *Hook, c command.Config) (*lease, error) {
	switch h.Kind {
	case "script":
		if f.script == nil {
			return nil, errors.New("its script cannot be run")
		}
		o := script.Options{Profile: c.Profile, EventNames: c.EventNames, TextPasses: c.TextPasses}
		if f.late != nil {
			return newLease(func() (closing, error) { return f.late.Handler(o), nil })
		}
		return newLease(func() (closing, error) { return f.script.program.Handler(f.index, o), nil })
	case "http":
		if as := f.spec.webhook; as != nil && l.opts.Webhooks != nil {
			h.told = as
			return l.leaseWebhook(as, l.webConfig(f, c))
		}
		return leaseWeb(l.webConfig(f, c))
	case "grpc":
		return leaseRPC(l.rpcConfig(f, c))
	case "wasm":
		if f.module == nil {
			return nil, errors.New("its module cannot be run")
		}
		return leaseWASM(f.module, l.wasmConfig(f, c))
	}
	return leaseCommand(c)
}

// mark is equal for two hooks exactly if they would do the same. A hook that
// moved to another line is the same.
func mark(h hook.Hook, kind string, spec *hookSpec, c command.Config, pins []trust.Pin, more ...any) string {
	h.Origin, h.Name = "", ""
	var files []string
	for _, p := range pins {
		files = append(files, p.Path, p.Value)
	}
	parts := []any{h, kind, spec.handler.decision, spec.handler.patch, files, spec.claude.Mark(),
		c.Argv, c.Shell, c.Worker, c.Needs, c.Dir, c.Env, c.Project, c.EventNames, more}
	data, err := json.Marshal(parts)
	if err != nil { // nothing here is beyond JSON; if it were, every load would count as a change
		data = fmt.Appendf(nil, "%p", c.Argv)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
