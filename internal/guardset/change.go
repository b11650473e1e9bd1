package guardset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/trust"
)

// Change is a change of guards that somebody wants.
type Change struct {
	Options config.Options // how the configuration is read
	Dir     string         // the folder that is meant
	Project bool           // in the hookway.yaml of its project, not in the user's own configuration
	Edits   Edits

	// Milder is asked before rules become milder. Its error is why they may not.
	Milder func(file string) error

	// Short is a place as people read it; nil leaves it as it is.
	Short func(place string) string
}

// Changed is what came of a change: what its command prints with --json.
type Changed struct {
	File    string              `json:"file"`
	On      bool                `json:"on"`
	Mode    guards.Mode         `json:"mode,omitempty"`
	Packs   []string            `json:"packs"`
	Changed bool                `json:"changed"`
	Milder  bool                `json:"milder"`            // a person was asked
	Still   []config.GuardLayer `json:"still,omitempty"`   // the layers that have rules on here, where this one has none
	Trusted *bool               `json:"trusted,omitempty"` // of a project
	Rules   []RuleChanged       `json:"rules,omitempty"`   // that were named, or that are stricter here than the file has them

	Named []string `json:"-"` // packs and rules, in the order in which they were named
}

// Make makes the change. Nothing is written if it returns an error, but for that of a
// project that could not be trusted again.
func (c *Change) Make(ctx context.Context) (*Changed, error) {
	file, found, err := c.file(ctx)
	if err != nil {
		return nil, err
	}
	f, list, before, err := c.edit(ctx, file)
	if err != nil {
		return nil, err
	}
	after, problems := config.ReadGuards(file, f.Text)
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s was left alone: %s", file, problems[0].Message)
	}
	out := &Changed{File: file, On: after != nil, Changed: string(f.Was) != string(f.Text), Milder: config.Milder(before, after), Packs: []string{}}
	if after != nil {
		out.Mode, out.Packs = after.Policy.Mode, after.Packs
	}
	if out.Milder {
		if err := c.Milder(file); err != nil {
			return nil, err
		}
	}
	if out.Changed {
		if err := f.Write(); err != nil {
			return nil, err
		}
	}
	if c.Project {
		given := found.State == trust.Given || found.State == trust.None
		if given && out.Changed {
			if err := TrustEdited(c.Options, found, f); err != nil {
				return nil, err
			}
		}
		out.Trusted = &given
	}
	set, err := config.Load(ctx, c.Options)
	if err != nil {
		return nil, err
	}
	if !out.On {
		out.Still = layersOn(set)
	}
	out.compare(list, before, after, set)
	return out, set.Close()
}

// edit makes the edits of a file, in memory.
func (c *Change) edit(ctx context.Context, file string) (f *scaffold.GuardFile, list []scaffold.GuardEdit, before *config.Guards, err error) {
	read, err := scaffold.EditGuards(file, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	before, problems := config.ReadGuards(file, read.Was)
	if len(problems) > 0 {
		return nil, nil, nil, fmt.Errorf("%s: %s; mend it first", problems[0].Place(), problems[0].Message)
	}
	list, err = c.Edits(before)
	if errors.Is(err, errOff) {
		err = c.whereOn(ctx, file)
	}
	if err == nil {
		f, err = scaffold.EditGuards(file, list)
	}
	if err == nil && !bytes.Equal(f.Was, read.Was) {
		err = fmt.Errorf("%s has just been changed by somebody else; run this again", file)
	}
	return f, list, before, err
}

// layersOn are the layers that have rules on in this folder.
func layersOn(set *config.Set) []config.GuardLayer {
	return slices.DeleteFunc(set.GuardLayers(), func(l config.GuardLayer) bool { return len(l.Packs) == 0 })
}

// whereOn says that a file has no rules on that could be changed, and where some are.
func (c *Change) whereOn(ctx context.Context, file string) error {
	set, err := config.Load(ctx, c.Options)
	if err != nil {
		return err
	}
	defer set.Close()
	flag, other := "", config.LayerWorkspace
	if c.Project {
		flag, other = " --project", config.LayerUser
	}
	if c.Short != nil {
		file = c.Short(file)
	}
	err = fmt.Errorf("%w in %s; switch them on first: hookway guards use default%s", errOff, file, flag)
	for _, l := range layersOn(set) {
		switch {
		case l.Layer != other:
		case c.Project:
			return fmt.Errorf("%w; or leave --project out: your own configuration has some on", err)
		default:
			return fmt.Errorf("%w; or add --project: the project has some on", err)
		}
	}
	return err
}

// file is the hookway.yaml to change. found is, of a project, how far it is trusted as it
// is.
func (c *Change) file(ctx context.Context) (file string, found trust.Status, err error) {
	dir, _, err := config.Places(c.Options.Getenv)
	if err != nil {
		return "", found, err
	}
	if c.Project {
		set, err := config.Load(ctx, c.Options)
		if err != nil {
			return "", found, err
		}
		dir, found = cmp.Or(set.Workspace, c.Dir), set.Trust
		if found.State == trust.None {
			found.Hash = trust.Manifest{}.Hash() // also where no folder is a workspace
		}
		if err := set.Close(); err != nil {
			return "", found, err
		}
	}
	file, _ = FileIn(dir)
	return file, found, nil
}

// FileIn is the hookway.yaml of a folder, which need not be there.
func FileIn(dir string) (file string, there bool) {
	for _, name := range []string{"hookway.yaml", "hookway.yml"} {
		file = filepath.Join(dir, name)
		if _, err := os.Lstat(file); err == nil {
			return file, true
		}
	}
	return filepath.Join(dir, "hookway.yaml"), false
}

// TrustEdited trusts a project again whose hookway.yaml hookway itself has changed, if
// nothing else is new since it was found trusted: an agent may write, too, meanwhile.
func TrustEdited(options config.Options, found trust.Status, f *scaffold.GuardFile) error {
	_, err := config.TrustIf(options, func(now trust.Status) error {
		for _, w := range now.Wishes {
			if len(w.More) > 0 {
				return fmt.Errorf("%s wants to %s", w.File, trust.MayDo[w.More[0]])
			}
		}
		if now.Edited(found.Hash, filepath.Base(f.Path), f.Was, f.Text) {
			return nil
		}
		if names := now.Changed(); names != "" && names != filepath.Base(f.Path) {
			return fmt.Errorf("more has changed meanwhile: %s", names)
		}
		return errors.New("something has changed meanwhile")
	})
	if err != nil {
		return fmt.Errorf("%s is written, and the project is not trusted: %w; look at it, then run hookway trust", f.Path, err)
	}
	return nil
}
