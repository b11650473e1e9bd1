package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// gatewayHandlerSpec is a hook that is a file, with OpenClaw's habits.
type gatewayHandlerSpec struct {
	node *yaml.Node
	keys map[string]*yaml.Node
	spec hookSpec
	path *strict.Entry
}

var gatewayHandlerTable table[gatewayHandlerSpec]

func gatewayHandlerKeys() []key[gatewayHandlerSpec] {
	return gatewayHandlerTable.get(makeGatewayHandlerKeys)
}

func makeGatewayHandlerKeys() []key[gatewayHandlerSpec] {
	of := func(h *gatewayHandlerSpec) *hookSpec { return &h.spec }
	keys := borrow(whenKeys(), of)
	for i, k := range keys {
		if k.name == "on" {
			keys[i].name, keys[i].aliases = "event", []string{"events", "on"}
		}
	}
	for _, k := range borrow(howKeys(), of, "lane", "async", "priority", "timeout", "on_failure") {
		switch k.name {
		case "priority":
			k.doc = "Order: lower first, as registerHook has it. Default: 0."
		case "lane":
			k.doc = "transform, guard or observe. Default: observe for events that only tell, else transform."
		}
		keys = append(keys, k)
	}
	return append(keys, key[gatewayHandlerSpec]{name: "handler", aliases: []string{"module"}, doc: "The file, from the folder of this one: a script (.ts, .mts, .js, .mjs) with a default function, or a program.", shape: textShape(),
		read: func(r *reader, n *yaml.Node, h *gatewayHandlerSpec) {
			if s, ok := r.Text(n, "handler"); ok {
				h.path = &strict.Entry{Text: s, Node: n}
			}
		}})
}

// hook is the handler as a hook.
func (g *gatewayHandlerSpec) hook(r *reader, i int) *hookSpec {
	h := &g.spec
	profile := hook.ProfileOpenClaw
	profile.HigherFirst = false // as registerHook has it: lower first
	h.profile, h.plugin = &profile, true
	h.node, h.keys = g.node, map[string]*yaml.Node{"id": g.node}
	for name, n := range g.keys {
		if h.keys[name] = n; name == "event" {
			h.keys["on"] = n
		}
	}
	if h.id == "" {
		h.id = fmt.Sprintf("handler-%d", i+1)
	}
	if g.keys["event"] == nil {
		h.keys["on"] = g.node // it is told in the words that are used here
		r.Fail(g.node, "write event: message-sent", "the handler has no event")
	}
	if g.keys["lane"] == nil && g.keys["async"] == nil && tellsOnly(h.on) {
		h.lane = hook.Observe
	}
	if g.path == nil {
		h.handler.kind = "script"
		h.keys["script"] = g.node
		if g.keys["handler"] == nil {
			r.Fail(g.node, "write handler: ./audit.ts", "the handler has no handler: the path of its file")
		}
		return h
	}
	path := shell.Under(filepath.Dir(r.File), g.path.Text)
	if !r.checkHandler(g.path, path) {
		h.keys["script"] = g.path.Node // no handler more is asked for
		return h
	}
	if isScript(path) {
		h.keys["script"], h.handler.script = g.path.Node, &strict.Entry{Text: path, Node: g.path.Node}
		return h
	}
	h.keys["command"], h.handler.argv = g.path.Node, []strict.Entry{{Text: path, Node: g.path.Node}}
	return h
}

// tellsOnly reports whether nobody waits for what hooks of these events answer.
func tellsOnly(on []strict.Entry) bool {
	var e hook.Engine
	for _, name := range on {
		info, err := e.Lookup(name.Text)
		if err != nil {
			return false
		}
		switch info {
		case hook.GatewayStart.Info(), hook.GatewayStop.Info(), hook.SessionStart.Info(), hook.SessionEnd.Info(), hook.MessageSent.Info(),
			hook.PostToolUse.Info(), hook.PreCompact.Info(), hook.PostCompact.Info():
		default:
			return false
		}
	}
	return len(on) > 0
}

// checkHandler finds why a file can be no handler.
func (r *reader) checkHandler(at *strict.Entry, path string) bool {
	said := strict.Clip(at.Text)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		hint := "create it or correct the name; it starts from the folder of this file"
		if near := nearestFile(path); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		r.Fail(at.Node, hint, "there is no file %s", said)
	case info.IsDir():
		r.Fail(at.Node, "name the file", "%s is a folder", said)
	case !info.Mode().IsRegular():
		r.Fail(at.Node, "name a file", "%s is not a file", said)
	case isScript(path):
		f, err := disk.Open(path)
		if err == nil {
			f.Close()
			return true
		}
		r.Fail(at.Node, "chmod u+r", "%s cannot be read", said)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		r.Fail(at.Node, "chmod +x, or give a script one of the endings .ts, .mts, .js and .mjs", "%s may not be executed", said)
	default:
		return true
	}
	return false
}

// nearestFile is the file of the same folder whose name is most like a path's.
func nearestFile(path string) string {
	names, _ := disk.Names(filepath.Dir(path), 1000) // as many as there are
	return hook.Nearest(filepath.Base(path), names)
}
