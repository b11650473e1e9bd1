package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// promptOnEnd is what an agent is asked at the end of its session.
const promptOnEnd = "The session ends. What is worth keeping, save now:\n@memory:save TEXT"

// memories finds what the configuration says of memory.
type memories struct {
	*load
	scripts []scriptMemory
	source  *source // of what counts of it
	file    string
}

// takeMemory lays what a file says of memory over what was there.
func (l *memories) takeMemory(m *memorySpec, src *source, file string) {
	if m == nil {
		return
	}
	kept := m.Memory
	kept.Place, kept.Own = file, src.layer != LayerUser
	if m.node != nil && m.node.Line > 0 {
		kept.Place = fmt.Sprintf("%s:%d", file, m.node.Line)
	}
	l.set.Settings.Memory = &kept
	l.source, l.file = src, file
}

// scriptMemory reads what a script says of memory, by the rules of hookway.yaml.
func (l *memories) scriptMemory(src *source, file string, said any) error {
	data, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("its memory cannot be read: %w", err)
	}
	root, problems := strict.Document(file, data)
	f := &fileSpec{}
	if len(problems) == 0 {
		r := &reader{Reader: strict.Reader{File: file}}
		f.takeMemory(readMemory(r, root))
		problems = r.Problems
	}
	if len(problems) > 0 {
		l.scripts = append(l.scripts, scriptMemory{&memorySpec{Memory: Memory{Broken: "there are mistakes in " + file}}, src, file})
		var texts []string
		for _, p := range problems {
			texts = append(texts, strings.TrimSpace(p.Message+". "+p.Hint))
		}
		return fmt.Errorf("its memory is wrong: %w", errors.New(strings.Join(texts, "; ")))
	}
	if len(f.hooks) > 0 {
		return errors.New("its memory is wrong: handler must be a function in a script; in hookway.yaml it may be a command, a server or a module")
	}
	f.memory.node = nil
	l.defineEvents(f)
	l.scripts = append(l.scripts, scriptMemory{f.memory, src, file})
	return nil
}

// memory finds what counts: a trusted workspace's before the user's, and in each
// hookway.yaml's before a script's.
func (l *memories) memory() {
	for _, la := range []*layer{&l.user, &l.work} {
		for _, m := range l.scripts {
			if m.src == la.yaml || slices.ContainsFunc(la.folders, func(f *folderSource) bool { return &f.source == m.src }) {
				l.takeMemory(m.spec, m.src, m.file)
			}
		}
		// A file that was trusted before and is wrong now: what it said is not known,
		// and nothing is kept elsewhere for that.
		if la.broken != nil && (la.yaml.runs || la == &l.work && l.set.Trust.State == trust.Changed) {
			l.takeMemory(&memorySpec{Memory: Memory{Broken: "there are mistakes in " + la.yaml.path}}, la.yaml, la.yaml.path)
			continue
		}
		said := la.broken
		if la.file != nil {
			said = la.file.memory
		}
		if said != nil && !la.yaml.runs {
			p := Problem{File: la.yaml.path, Message: "what it says of memory counts only when the workspace is trusted", Hint: "look at it, then run hookway trust"}
			if n := said.node; n != nil {
				p.Line, p.Column = n.Line, n.Column
			}
			l.set.Warnings = append(l.set.Warnings, p)
			continue
		}
		if la.file == nil || la.file.memory == nil {
			continue
		}
		l.takeMemory(la.file.memory, la.yaml, la.yaml.path)
	}
	l.memoryHooks()
}

// memoryHooks adds the hooks by which memory does something by itself.
func (l *memories) memoryHooks() {
	m := l.set.Settings.Memory
	if m == nil {
		return
	}
	var own MemoryHooks
	if l.opts.MemoryHooks != nil {
		own = l.opts.MemoryHooks(l.set.Settings)
	}
	if m.Inject && own.Inject != nil {
		l.addMemoryHook("hookway:memory-inject", hook.Transform, own.Inject, "tells agents what is remembered", hook.SessionStart.Info(), hook.AgentStart.Info())
	}
	if m.AutoSave && own.Save != nil {
		l.addMemoryHook("hookway:memory-save", hook.Observe, own.Save, "keeps what agents say at the end of a turn", hook.AgentStop.Info(), hook.PostCompact.Info())
	}
	if m.PromptOnEnd {
		l.addMemoryHook("hookway:memory-prompt", hook.Transform, hook.Static(hook.Inject(promptOnEnd)), "asks to save what is worth keeping", hook.SessionEnd.Info())
	}
}

func (l *memories) addMemoryHook(id string, lane hook.Lane, handler hook.Handler, description string, events ...*hook.EventInfo) {
	m, src := l.set.Settings.Memory, l.source
	options := []hook.Option{hook.Origin(m.Place), hook.Timeout(memoryTimeout), hook.Priority(90), hook.As(lane)}
	for _, info := range events {
		options = append(options, hook.For(info.Name))
	}
	h := Hook{
		Hook: hook.New("", handler, options...), State: Active, Layer: src.layer, File: l.file, Kind: "memory",
		Description: description, name: id, source: src.path, rank: src.rank,
	}
	data, err := json.Marshal([]any{m, l.set.Settings.Redact})
	if err != nil { // it is made of texts and numbers
		data = nil
	}
	h.mark = id + string(data)
	l.set.Hooks = append(l.set.Hooks, h)
}

// scriptMemory is what a script says of memory.
type scriptMemory struct {
	spec *memorySpec
	src  *source
	file string
}

// memoryTimeout bounds a hook of memory: an agent waits for it.
const memoryTimeout = 15 * time.Second
