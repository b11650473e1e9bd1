package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// laterID is what the hook is called that tells them.
const laterID = "claude:later"

// Wrapped is what a script says of the session in which a program runs: what
// relay.wrap and new Relay({name}) name.
type Wrapped struct {
	File string   // that says it, for people
	Name string   // of the session; "": none is said
	Line []string // the program: one word is a line of the shell, more are its words
	Left string   // why a program that was named is not run
	From string   // the folder in which alone it means what trust has pinned; "": here
}

// Command is the program with its arguments.
func (w *Wrapped) Command() []string {
	if len(w.Line) != 1 {
		return w.Line
	}
	if strings.ContainsAny(w.Line[0], "\n\\\"'`$&|;<>()*?[]#~{}!=") {
		return []string{"sh", "-c", w.Line[0]}
	}
	return strings.Fields(w.Line[0])
}

// Problem is one mistake in a configuration, and Problems are all of them.
type (
	Problem  = strict.Problem
	Problems = strict.Problems
)

// State says whether a hook runs.
type State string

// The states of a hook.
const (
	Active    State = "active"
	Untrusted State = "untrusted" // its workspace is not trusted
	Disabled  State = "disabled"  // enabled: false
	Refused   State = "refused"   // Live: the engine has another hook of its id
)

// Layers of the configuration, in the order in which they are read.
const (
	LayerManaged   = "managed" // the administrator's: see Managed
	LayerUser      = "user"
	LayerWorkspace = "workspace"
)

// Hook is a hook as the configuration has it, whether it runs or not. Handler
// is nil unless it is active.
type Hook struct {
	hook.Hook
	State       State
	Layer       string         // LayerManaged, LayerUser or LayerWorkspace
	File        string         // the hookway.yaml, or the executable in a hooks folder
	Kind        string         // block, allow, ask, inject, modify, answer, retry, skip, command, script, http, grpc, wasm, memory or guards
	Command     string         // with the kinds command, script and wasm: what is run, for listings; with http the url, with grpc the target
	Grants      []script.Grant // with the kinds script and wasm: what it may do
	Description string
	ByNode      bool // it is a script that Node runs: no grants are enforced

	// Unasked says that its file must run before its events, its lane and the
	// rest are known, and may not: it is listed without them.
	Unasked bool

	// Kept says that it is as an earlier load had it: its file, or its entry, could not
	// be loaded since, or was not trusted.
	Kept bool

	name   string     // its id as written
	source string     // the hookway.yaml or hooks folder it comes from
	rank   int        // of the source, in the order of registration
	mark   string     // tells whether two loads mean the same hook
	lease  *lease     // of a command
	broken bool       // it cannot be asked: it only fails
	late   *lateHooks // of its script
	said   string     // its id in the script
	told   *webhookAs // nil: it is not a webhook that is told by way of the spool
}

// Set is a configuration that was read: the hooks of all files in the order of
// registration, and what was found wrong.
type Set struct {
	strict.Report
	Hooks      []Hook
	Skipped    Problems // those of the warnings that tell of an executable which cannot be a hook
	PassedOver Problems // those of Skipped in folders whose system goes on without such a hook
	Workspace  string   // "" if there is none
	Managed    string   // the administrator's hookway.yaml, if there is one that counts
	UserDir    string   // folder of the user's configuration; it need not exist
	Settings   Settings
	Trust      trust.Status

	// Unread says that the workspace has hooks that nothing is known of: it is not
	// trusted, or not any more, and Options.TrustedOnly.
	Unread bool

	Wrapped Wrapped         // what a script says of the session in which a program runs
	Gateway *gateway.Config // what may come in from services outside; nil if nothing may

	Approvals Approvals // how an ask reaches a person

	events []*hook.EventInfo // that the files define
	native []string

	failedHooks [][2]string // the file and id of entries that could not be used

	managedDir    string   // of the administrator's configuration; it need not exist
	dir, stateDir string   // where the workspace was looked for, and the state kept
	named         string   // Options.File
	pinned        []string // files that the workspace could run or be configured by
	awaited       []string // what would be pinned if it were there, and folders whose names matter
	lost          string   // why it is not known what the user trusts, or ""
	entries       map[string]trust.Entry
	frozen        bool // Live: the workspace's hooks are those of an earlier load
	guards        guardLayers
	userAsk       hook.Action // what an ask becomes by the user's word
	managedAsk    hook.Action // and one of the administrator's hooks and rules by his
}

// Unheard keeps for a session's next event what the steps of a stop would have its
// agent go on for: it stopped all the same.
func (s *Set) Unheard(session string, steps []hook.Step) error {
	for _, step := range steps {
		told := func(h Hook) bool { return h.ID == step.Hook && h.name == laterID }
		if step.Action != hook.ActionBlock || session == "" || !slices.ContainsFunc(s.Hooks, told) {
			continue
		}
		if err := s.laters().Add(session, claudehooks.ForStop, step.Reason); err != nil {
			return fmt.Errorf("what hooks said in the background cannot be kept for the agent's next event: %w", err)
		}
	}
	return nil
}

func (s *Set) laters() claudehooks.Texts {
	return claudehooks.Texts{Dir: filepath.Join(s.stateDir, "claude-later")}
}

// lacksFile reports whether the user's hookway.yaml is there and could not be loaded.
func (s *Set) lacksFile() bool {
	return slices.ContainsFunc(s.Failed, func(path string) bool {
		return path == s.UserDir || path == filepath.Join(s.UserDir, fileName) || path == filepath.Join(s.UserDir, fileNameYML)
	})
}

// lacksManaged reports whether the administrator's hookway.yaml is there and could not be
// loaded.
func (s *Set) lacksManaged() bool {
	return slices.ContainsFunc(s.Failed, func(path string) bool { return s.managedDir != "" && filepath.Dir(path) == s.managedDir })
}

// Tells reports whether a hook is a webhook that is told by way of the spool.
func (s *Set) Tells(id string) bool {
	for i := range s.Hooks {
		if s.Hooks[i].ID == id {
			return s.Hooks[i].told != nil
		}
	}
	return false
}

// Told gives the webhooks that are told by way of the spool, as they are now.
func (s *Set) Told() spool.Loaded {
	all := spool.Loaded{Place: s.UserDir, Targets: map[string]spool.Target{}, Broken: s.lacksFile()}
	for _, h := range s.active() {
		if h.told == nil || h.lease == nil {
			continue
		}
		all.Targets[h.told.ID] = spool.Target{
			Webhook: spool.Webhook{Place: s.UserDir, ID: h.told.ID}, Policy: h.told.Policy,
			Post: func(ctx context.Context, m web.Message) error { return h.lease.post(ctx, m) },
		}
	}
	return all
}

// StandsFor reports whether the hook is what runs in the place of what a mistake keeps
// from being loaded, as it was before.
func (s *Set) StandsFor(h *Hook, p Problem) bool {
	if !h.Kept || h.State != Active || h.File != p.File {
		return false
	}
	return p.Hook == "" || s.Lost(p) || h.name == p.Hook || strings.HasPrefix(h.name, p.Hook+"/")
}

// Lost reports whether a mistake keeps its whole file from being loaded, and not only
// the entry that it is in.
func (s *Set) Lost(p Problem) bool { return slices.Contains(s.Failed, p.File) }

// leaveOut notes that an entry of a hookway.yaml could not be used: what it was
// before runs on.
func (s *Set) leaveOut(f *found) {
	s.failedHooks = append(s.failedHooks, [2]string{f.file, f.spec.id})
}

// beginLate has the scripts of the active hooks register more with the engine.
func (s *Set) beginLate(e *hook.Engine) error {
	names := map[*lateHooks]map[string]string{}
	for _, h := range s.active() {
		if h.late == nil {
			continue
		}
		if names[h.late] == nil {
			names[h.late] = map[string]string{}
		}
		names[h.late][h.said] = h.ID
	}
	var errs []error
	for late, by := range names {
		errs = append(errs, late.begin(e, by)...)
	}
	return errors.Join(errs...)
}

// Fill registers the active hooks with an engine, and makes the events known
// that the files define. Settings go into the engine too, so it must not fire
// yet. A hook that cannot be registered does not keep others from it; the error
// lists all.
func (s *Set) Fill(e *hook.Engine) error {
	err := s.define(e)
	e.MaxContinues = s.Settings.MaxContinues
	s.settleAsk(e, func() *Set { return s })
	e.Analyse = guards.Analyser(command.Environ, s.scratch)
	errs := []error{err}
	for _, h := range s.active() {
		if h.Changes() { // so that they hear of the others
			errs = append(errs, e.Add(h.Hook))
		}
	}
	for _, h := range s.active() {
		if !h.Changes() {
			errs = append(errs, e.Add(h.Hook))
		}
	}
	errs = append(errs, s.beginLate(e))
	return errors.Join(errs...)
}

// AskFallback is what an ask of a hook becomes where nobody can be asked: what the
// settings say. A workspace that says allow says it of its own hooks alone: for the
// others, hookway's own rules among them, the stricter of the user's word and the
// workspace's counts. Of an administrator's, neither says allow; nor of hookway itself
// while the administrator's configuration has a mistake.
func (s *Set) AskFallback(id string) hook.Action {
	if id == "hookway" && s.managedAsk == hook.ActionBlock && slices.ContainsFunc(s.Problems, func(p Problem) bool { return filepath.Dir(p.File) == s.managedDir }) {
		return hook.ActionBlock
	}
	if s.managedAsk == hook.ActionBlock && slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.ID == id && h.Layer == LayerManaged }) {
		return hook.ActionBlock
	}
	if s.Settings.AskFallback == s.userAsk || s.userAsk != hook.ActionBlock {
		return s.Settings.AskFallback
	}
	if slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.ID == id && h.Layer == LayerWorkspace }) {
		return s.Settings.AskFallback
	}
	return s.userAsk
}

// settleAsk has an engine follow AskFallback. Where it differs from hook to hook, the
// engine asks the set that is in force, unless somebody can be asked.
func (s *Set) settleAsk(e *hook.Engine, now func() *Set) {
	e.AskFallback = s.Settings.AskFallback
	managed := s.managedAsk == hook.ActionBlock && slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.Layer == LayerManaged })
	if e.Ask != nil || e.AskFallback == hook.ActionBlock || !managed && (e.AskFallback == s.userAsk || s.userAsk != hook.ActionBlock) {
		return
	}
	e.Ask = func(_ context.Context, v hook.Verdict, _ any) (bool, error) {
		return now().AskFallback(v.By) == hook.ActionAllow, nil
	}
}

// scratch are the places that the rules let be emptied.
func (s *Set) scratch() []string {
	if s.Settings.Guards == nil {
		return nil
	}
	return s.Settings.Guards.Policy.Scratch
}

// name gives every hook an id that is unique: its own; if another file has that
// one too, or it may be that of a registered hook, with the layer in front; and if
// that is taken, with the file behind.
func (s *Set) name() {
	taken := map[string]bool{}
	for i := range s.Hooks {
		h := &s.Hooks[i]
		h.ID = h.name
		if taken[h.ID] || strings.HasPrefix(h.ID, Registered) {
			h.ID = h.Layer + "/" + h.name
		}
		if taken[h.ID] {
			h.ID = h.name + "@" + h.File
		}
		for n := 2; taken[h.ID]; n++ {
			h.ID = fmt.Sprintf("%s@%s#%d", h.name, h.File, n)
		}
		taken[h.ID] = true
	}
}

// define makes the set's own events known to an engine.
func (s *Set) define(e *hook.Engine) error {
	var errs []error
	for _, info := range s.events {
		if old, err := e.Lookup(info.Name); err == nil && sameEvent(old, info) {
			continue
		}
		if err := e.Define(info); err != nil {
			errs = append(errs, fmt.Errorf("event %s: %w", info.Name, err))
		}
	}
	for _, name := range s.native {
		if _, err := e.Lookup(name); err == nil {
			continue
		}
		if err := e.Define(hook.Native(name)); err != nil {
			errs = append(errs, fmt.Errorf("event %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Set) active() []Hook {
	return slices.DeleteFunc(slices.Clone(s.Hooks), func(h Hook) bool { return h.State != Active })
}

// Close ends the workers and what else the hooks left running. It waits for
// calls under way, for a bounded time. The hooks fail from now on.
func (s *Set) Close() error { return closeHooks(s.Hooks) }

func sameEvent(a, b *hook.EventInfo) bool {
	return a.Name == b.Name && slices.Equal(a.Aliases, b.Aliases) && reflect.DeepEqual(a.May, b.May)
}

// post sends a webhook's message.
func (l *lease) post(ctx context.Context, m web.Message) error {
	inner, err := l.take()
	if err != nil {
		return web.ErrClosed
	}
	defer l.give()
	r, ok := inner.(*spool.Receiver)
	if !ok {
		return errors.New("the hook is not a webhook that is told")
	}
	return r.Post(ctx, m)
}

// Fixed reports whether the hook always decides the same, without running anything.
func (h *Hook) Fixed() bool {
	return h.Kind != "command" && h.Kind != "script" && h.Kind != "http" && h.Kind != "grpc" && h.Kind != "wasm" && h.Kind != "memory" && h.Kind != kindGuards
}

// Registered begins the ids of hooks that programs register with the daemon. No
// hook of a configuration has such an id: none could be put in its place.
const Registered = "api:"

// closeHooks closes handlers side by side: each may take its grace.
func closeHooks(hooks []Hook) error {
	errs := make(chan error)
	n := 0
	for _, h := range hooks {
		if h.lease == nil {
			continue
		}
		n++
		go func() {
			err := h.lease.Close()
			if err != nil {
				err = fmt.Errorf("hook %s: %w", h.ID, err)
			}
			errs <- err
		}()
	}
	var all []error
	for range n {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
