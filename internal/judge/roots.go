package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
)

// An agent may work on several folders at once, as Cursor does with the roots of
// its workspace. The event is fired at the hooks of the one that it works in; the
// guards of the others are asked as well, about what it has become.

// maxRoots bounds of how many folders the guards are asked.
const maxRoots = 16

// open opens the workspaces whose hooks are asked.
func (r *request) open(ctx context.Context) (leave func(), err error) {
	if depth := r.env.depth(); depth > maxDepth {
		return nil, fmt.Errorf("hooks that call hookway are nested %d deep; the limit is %d", depth, maxDepth)
	}
	dir, err := r.folder()
	if err != nil {
		return nil, err
	}
	if r.w, err = r.workspaces.openAt(ctx, r.Judge, r.place(dir)); err != nil {
		return nil, err
	}
	leave = func() {
		r.leaveOthers()
		r.w.leave()
	}
	if err := r.openOthers(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// openOthers opens the workspaces of the other roots. A root that is not a folder has
// no guards; one that has some which cannot be read stops the event.
func (r *request) openOthers(ctx context.Context) error {
	if len(r.roots) < 2 {
		return nil
	}
	if len(r.roots) > maxRoots {
		return fmt.Errorf("the agent's workspace has %d roots; the guards of %d can be asked", len(r.roots), maxRoots)
	}
	for _, root := range r.roots {
		if !r.seenFiles.Folder(root) {
			continue
		}
		w, err := r.workspaces.openAt(ctx, r.Judge, r.place(root))
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
	before := []*config.Set{r.w.set}
	for _, w := range r.others {
		if !config.Runs(out.Action) {
			return nil
		}
		ev, err := config.Beside(r.ev, out)
		if err != nil {
			return err
		}
		more, err := w.Engine.Guards(r.sends(ctx), ev, w.set.AsksBeside(before))
		if err != nil {
			return fmt.Errorf("the guards of %s: %w", w.Folder, err)
		}
		Caution(w.set, ev, &more)
		config.Merge(out, &more)
		before = append(before, w.set)
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
