package config

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/handler/wasm"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/wire"
)

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
			l.set.Problems = append(l.set.Problems, Problem{File: f.file, Hook: f.spec.id, Message: strict.Line(f.broken.Error()), Hint: "until then the hook fails"})
			l.set.leaveOut(f)
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
		h.Command, h.Grants, hash = f.source.shown(f.script.path), f.script.grants, f.script.bundle.Hash
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

func (l *builder) laters() claudehooks.Texts { return l.set.laters() }

// leaseWebhook holds a webhook that is told by way of the spool.
func (l *builder) leaseWebhook(as *webhookAs, c web.Config) (*lease, error) {
	return newLease(func() (closing, error) {
		server, err := web.New(c)
		if err != nil {
			return nil, err
		}
		r := l.opts.Webhooks.Receiver(spool.Webhook{Place: l.userDir, ID: as.ID}, as.Policy, server)
		r.Form = l.told()
		return r, nil
	})
}

// told has what webhooks are told without what the configuration hides.
func (l *builder) told() spool.Form {
	set, tell := l.set, l.opts.Webhooks.Tell
	if tell == nil {
		return nil
	}
	return func(ctx context.Context, body []byte, ev hook.AnyEvent) ([]byte, error) {
		return tell(body, ev, hook.SettledOf(ctx), set.Settings.Redact)
	}
}

// away is nil if nothing in a hook's command depends on the folder where it runs.
func (l *builder) away(f *found, lane hook.Lane) *trust.Away {
	if f.spec.handler.kind != "command" || !f.source.pinned || f.spec.cwd != "" || f.spec.worker {
		return nil
	}
	return trust.NewAway(&l.pinned, lane, f.environment(), l.dirs(f), func(r shell.Reader) shell.Reading {
		if f.command.shell != "" {
			return r.Line(f.command.shell)
		}
		return r.Words(f.command.argv)
	})
}

// rpcConfig is how a hook's server is asked.
func (l *builder) rpcConfig(f *found, c command.Config) rpc.Config {
	s := f.spec.handler.rpc.Config
	s.Target, s.Hook = rpc.Beside(f.source.dir, s.Target), f.spec.id
	s.Profile, s.EventNames, s.Environ, s.Log = c.Profile, c.EventNames, command.Environ, l.opts.Log
	return s
}

// nodeArgv is how Node is started for a script, and what has to be there for that.
func (l *builder) nodeArgv(f *found) ([]string, nodeFiles, error) {
	file := f.command.argv[1]
	typed := strings.HasSuffix(strings.TrimSuffix(filepath.Ext(file), "x"), "ts")
	if !f.spec.worker && !typed {
		return []string{"node", file}, nodeFiles{}, nil
	}
	if err := trust.PrivateDir(l.stateDir); err != nil {
		return nil, nodeFiles{}, err
	}
	n := nodeFiles{dir: filepath.Join(l.stateDir, "node")}
	if typed {
		plain, err := bundle.PlainForNode(file, f.node)
		if err != nil {
			l.set.Warn(f.place(), f.spec.id, strict.Line(fmt.Sprintf("only Node 22.18 or newer, which reads TypeScript itself, can run it: %v", err)), "an older one needs a file that can be bundled")
		}
		n.plain = plain
	}
	driver, plain, err := n.write()
	if err != nil {
		return nil, n, fmt.Errorf("what runs the script by Node cannot be written: %w", err)
	}
	thinNode(n.dir)
	kind := "program"
	if f.spec.worker {
		kind = "hooks"
	}
	argv := []string{"node", driver, kind, file}
	if plain != "" {
		argv = append(argv, plain)
	}
	return argv, n, nil
}

// buildLate makes a hook of what a script registers while it runs, by the rules of
// what it registers when it is read.
func (l *builder) buildLate(src *source, file *scriptFile, late *script.Late) (hook.Hook, error) {
	spec, err := l.scripts.registered(file.path, late.Registered, file.profile)
	if err != nil {
		return hook.Hook{}, err
	}
	f := scriptHook(src, file, late.ID)
	f.spec, f.late = spec, late
	if f.spec.trial == nil {
		f.spec.trial = file.trial
	}
	f.spec.id = file.named(late.ID)
	h, err := l.build(f)
	h.ID = h.name
	return h.Hook, err
}

// wasmConfig is what a hook's module is given.
func (l *builder) wasmConfig(f *found, c command.Config) wasm.Config {
	may := func(g script.Grant) bool { return slices.Contains(f.spec.grants, g) }
	return wasm.Config{
		Root: cmp.Or(l.workspace, f.source.root, f.source.dir),
		Read: may(script.Read), Write: may(script.Write), Net: may(script.Net), Transport: l.opts.Transport,
		Env: f.spec.env, Cache: filepath.Join(l.stateDir, "wasm"), Profile: c.Profile, EventNames: c.EventNames, Log: l.opts.Log,
		Past: l.opts.Past,
	}
}

// webConfig is how a hook's server is asked.
func (l *builder) webConfig(f *found, c command.Config) web.Config {
	w := f.spec.handler.web.Config
	if f.spec.handler.web.key != nil {
		w.SecretFile = shell.Under(f.source.dir, w.SecretFile)
	}
	if c := f.spec.claude; c != nil {
		w.Fill = c.Server.Fill
	}
	w.Profile, w.EventNames, w.Environ, w.Log = c.Profile, c.EventNames, command.Environ, l.opts.Log
	return w
}

// standsIn reports whether hookway can stand in for Node.
func (l *builder) standsIn(f *found) bool { return l.opts.Self != "" && f.asksNode() }

// tellOfNode warns, once, that there is no Node where programs are looked for.
func (l *builder) tellOfNode(f *found) {
	if l.nodeTold || !l.standsIn(f) {
		return
	}
	ctx := context.Background()
	if l.opts.Environ != nil {
		ctx = command.WithEnviron(ctx, l.opts.Environ)
	}
	if _, err := command.LookPath(ctx, "node"); err == nil {
		return
	}
	l.nodeTold = true
	l.set.Warnings = append(l.set.Warnings, Problem{File: f.file, Line: f.spec.node.Line, Column: f.spec.node.Column, Hook: f.spec.id,
		Message: "Node is not installed, so what it has Node run, and other imported hooks have, hookway runs itself", Hint: "try it by hand with hookway node FILE; install Node if something of it is missed"})
}

// withNode gives a hook hookway's node, should there be no other when it runs.
func (l *builder) withNode(next hook.Handler) hook.Handler {
	if l.standIn == nil {
		dir, self := filepath.Join(l.stateDir, "node", "bin"), l.opts.Self
		l.standIn = sync.OnceValues(func() (string, error) { return dir, writeStandIn(dir, self) })
		l.toldOfNode = sync.OnceFunc(func() {
			if l.opts.Log != nil {
				l.opts.Log.Info("node is not on PATH: hooks that call it are run by hookway itself (hookway node)")
			}
		})
	}
	return withoutNode{next: next, standIn: l.standIn, tellOnce: l.toldOfNode}
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

// leaseCommand holds a command.
func leaseCommand(c command.Config) (*lease, error) {
	return newLease(func() (closing, error) { return command.New(c) })
}

// leaseWeb holds the handler of a server.
func leaseWeb(w web.Config) (*lease, error) {
	return newLease(func() (closing, error) { return web.New(w) })
}

// leaseRPC holds the handler of a server.
func leaseRPC(c rpc.Config) (*lease, error) {
	return newLease(func() (closing, error) { return rpc.New(c) })
}

// leaseWASM holds the handler of a module.
func leaseWASM(m *wasm.Module, c wasm.Config) (*lease, error) {
	return newLease(func() (closing, error) { return wasm.New(m, c), nil })
}

// broken is the handler of an entry that cannot be asked.
type broken struct{ err error }

// Handle fails.
func (b broken) Handle(context.Context, hook.AnyEvent) (hook.Decision, error) {
	return hook.Decision{}, b.err
}
