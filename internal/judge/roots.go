package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/logline"
)

// An agent may work on several folders at once, as Cursor does with the roots of
// its workspace. The event is fired at the hooks of the one that it works in; the
// guards of the others are asked as well, about what it has become.

// maxRoots bounds of how many folders the guards are asked.
const maxRoots = 16

// openOthers opens the workspaces of the other roots. A root that is no folder has
// no guards; one that has some which cannot be read stops the event.
func (r *request) openOthers(ctx context.Context) error {
	if len(r.roots) < 2 {
		return nil
	}
	if len(r.roots) > maxRoots {
		return fmt.Errorf("the agent's workspace has %d roots; the guards of %d can be asked", len(r.roots), maxRoots)
	}
	for _, root := range r.roots {
		if !isFolder(root) {
			continue
		}
		w, err := r.workspaces.openAt(ctx, r.Judge, place{dir: root, setting: r.setting, log: logline.Or(r.Log)})
		if err != nil {
			return fmt.Errorf("the guards of %s cannot be asked: %w", root, err)
		}
		if w.entry == r.w.entry || slices.ContainsFunc(r.others, func(o *Workspace) bool { return o.entry == w.entry }) {
			w.leave()
			continue
		}
		r.others = append(r.others, w)
	}
	return nil
}

func (r *request) leaveOthers() {
	for _, w := range r.others {
		w.leave()
	}
}

// hooks names the hooks that judge the event.
func (r *request) hooks() string {
	names := r.w.hooks()
	for _, w := range r.others {
		names += "\x00" + w.hooks()
	}
	return names
}

// apart reports whether some of the hooks are for one of two agents only.
func (r *request) apart(a, b string) bool {
	return r.w.apart(a, b) || slices.ContainsFunc(r.others, func(w *Workspace) bool { return w.apart(a, b) })
}

// askOthers asks the guards of the other roots about the event as the hooks have
// left it. The strongest answer counts, as in one chain.
func (r *request) askOthers(ctx context.Context, out *hook.Outcome[any]) error {
	for _, w := range r.others {
		if out.Action == hook.ActionBlock || out.Action == hook.ActionAnswer || out.Action == hook.ActionRetry {
			return nil // the operation does not run
		}
		env := *r.ev.Head()
		env.Metadata, env.Mark = out.Metadata, &hook.Mark{ID: r.ev.ID(), Time: r.ev.Time()}
		ev, err := r.ev.Info().New(env, out.Payload)
		if err != nil {
			return err
		}
		more, err := w.Engine.Guards(r.sends(ctx), ev, r.asksOf(w))
		if err != nil {
			return fmt.Errorf("the guards of %s: %w", w.Folder, err)
		}
		Caution(w.set, ev, &more)
		merge(out, &more)
	}
	return nil
}

// otherFolders are those of the other roots.
func (r *request) otherFolders() (folders []string) {
	for _, w := range r.others {
		folders = append(folders, w.Folder)
	}
	return folders
}

// asksOf reports which hooks of another root are asked: its own, and hookway's own rules
// where no root before it has the same ones.
func (r *request) asksOf(w *Workspace) func(id string) bool {
	return func(id string) bool {
		for _, before := range append([]*Workspace{r.w}, r.others...) {
			if before == w {
				break
			}
			if same, _ := w.set.SameGuards(id, before.set); same {
				return false
			}
		}
		_, guard := w.set.SameGuards(id, w.set)
		return guard || w.owns(id)
	}
}

// owns reports whether a hook belongs to the folder, and not to every one.
func (w *Workspace) owns(id string) bool {
	return !slices.ContainsFunc(w.set.Hooks, func(c config.Hook) bool { return c.ID == id && c.Layer != config.LayerWorkspace })
}

// weight orders the answers of guards.
func weight(a hook.Action) int {
	return slices.Index([]hook.Action{hook.ActionContinue, hook.ActionAllow, hook.ActionAsk, hook.ActionBlock}, a)
}

// merge adds what the guards of another root have answered.
func merge(out, more *hook.Outcome[any]) {
	out.Steps = append(out.Steps, more.Steps...)
	if weight(more.Action) > weight(out.Action) {
		out.Action, out.Reason, out.By, out.Rule = more.Action, more.Reason, more.By, more.Rule
		if more.Facts != nil {
			out.Facts = more.Facts
		}
	}
	if out.Facts == nil {
		out.Facts = more.Facts
	}
	out.Inject = joined(out.Inject, more.Inject, "\n\n")
	if !strings.Contains(out.UserMessage, more.UserMessage) {
		out.UserMessage = joined(out.UserMessage, more.UserMessage, "\n")
	}
	out.Metadata = more.Metadata
}

func joined(a, b, with string) string {
	if a != "" && b != "" {
		return a + with + b
	}
	return a + b
}
