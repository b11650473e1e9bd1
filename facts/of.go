package facts

import "github.com/hookway/hookway/hook"

// Shell gives the facts of a shell line in a world.
func Shell(line string, w World) []hook.Fact {
	sh := newShell(&w)
	sh.line(clean(line), hook.Span{From: 0, To: len(line)}, nil)
	return sh.out
}

func newShell(w *World) *shell {
	dir := w.Dir
	if dir == "" {
		dir = string(hole)
	}
	return &shell{
		world: w.ready(), sure: true,
		st:     &state{vars: map[string]values{}, dirs: []string{dir}, paramsOpen: true},
		shared: &shared{files: map[string]values{}, sinks: map[string]func(values){}, taints: map[string][]string{}, git: map[string]string{}, remotes: map[string][]string{}},
	}
}
