package install

import (
	"fmt"
	"strings"
)

// codexSession is the path by which Codex names what its command line says.
const codexSession = "/<session-flags>/config.toml"

// SessionArgs gives the arguments and the environment by which an agent takes
// hookway's hooks for one session, without a change of any file. The arguments
// come first on the agent's command line. ok is false for an agent that has no
// such way; its hooks must be installed.
func SessionArgs(name, shim string) (args, env []string, ok bool) {
	a, err := find(name)
	if err != nil {
		return nil, nil, false
	}
	w, err := Options{Shim: shim, Getenv: func(name string) string {
		return map[string]string{"HOME": "/"}[name] // no file is looked at
	}}.world(User)
	if err != nil {
		return nil, nil, false
	}
	events, _, err := a.events(w)
	if err != nil {
		return nil, nil, false
	}
	switch name {
	case "claude":
		hooks := object{}
		for _, e := range events {
			hooks = append(hooks, member{e.name, []any{a.entry(e, a.caller(w, e))}})
		}
		return []string{"--settings", style{flat: true}.render(object{{"hooks", hooks}}, "")}, nil, true
	case "codex":
		return codexArgs(w, events), nil, true
	}
	return nil, nil, false
}

// codexArgs set the hooks on Codex's command line, with the approval of each: who
// runs a program under hookway said yes to its hooks. What the user's config.toml
// has stays; Codex puts both together.
func codexArgs(w *world, events []event) []string {
	var args, approved []string
	for _, e := range events {
		line := codex.caller(w, e).line()
		args = append(args, "-c", fmt.Sprintf(`hooks.%s=[{hooks=[{type="command",command=%s,timeout=%d}]}]`, e.name, quoteTOML(line), e.seconds()))
		approved = append(approved, fmt.Sprintf(`%s={trusted_hash=%s}`, quoteTOML(codexKey(codexSession, e.name, 0, 0)), quoteTOML(codexHash(e.name, line, e.seconds()))))
	}
	return append(args, "-c", "hooks.state={"+strings.Join(approved, ",")+"}")
}
