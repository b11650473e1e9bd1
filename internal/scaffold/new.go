package scaffold

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// hookName is what a hook of init may be called: files and a program get the same
// name, on every system.
var hookName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`) })

// New prepares a hook in a language: its name is checked, or is the usual one if it is
// "". What to do comes with an error.
func New(lang, name string, options config.Options) (*Kit, error) {
	l := languageOf(lang)
	if l == nil {
		names := Languages()
		hint := "use " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		near := otherNames[strings.ToLower(lang)]
		if near == "" {
			near = hook.NearestWithin(2, strings.ToLower(lang), names)
		}
		if near != "" {
			hint = "did you mean " + near + "? Or " + hint
		}
		return nil, fmt.Errorf("--lang %q: there is no hook in that language; %s", lang, hint)
	}
	if name == "" {
		name = l.usual
	}
	if !hookName().MatchString(name) || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("--name %q: files get this name, too; begin with a letter, and go on with letters, digits, - and _ (64 at most)", name)
	}
	var text any
	if err := yaml.Unmarshal([]byte(name), &text); err != nil || text != name {
		return nil, fmt.Errorf("--name %q: in YAML this is not text; choose another", name)
	}
	return &Kit{Name: name, options: options, lang: l}, nil
}

// Write writes the hook with its tests, into the workspace that the folder of the
// options is in, or into that folder.
func (k *Kit) Write(ctx context.Context) error {
	if err := k.tools(ctx); err != nil {
		return err
	}
	if err := k.place(ctx); err != nil {
		return err
	}
	if err := k.plan(); err != nil {
		return err
	}
	return k.carryOut(ctx)
}

// place finds the workspace to write into, and whether its hooks are trusted.
func (k *Kit) place(ctx context.Context) error {
	options := k.options
	options.Log = nil
	set, err := config.Load(ctx, options)
	if err != nil {
		return err
	}
	defer set.Close()
	here, err := filepath.EvalSymlinks(options.Dir)
	if err != nil {
		return err
	}
	if user, err := filepath.EvalSymlinks(set.UserDir); err == nil && disk.Inside(user, here) {
		return fmt.Errorf("%s is the folder of your own configuration; a hook is written into a workspace, from where you may move it", here)
	}
	if k.Root = set.Workspace; k.Root == "" {
		k.Root = options.Dir
	}
	for _, p := range set.Problems {
		if filepath.Dir(p.File) == k.Root && (filepath.Base(p.File) == "hookway.yaml" || filepath.Base(p.File) == "hookway.yml") {
			return fmt.Errorf("%s; mend it first, then run this again", p.String())
		}
	}
	for _, h := range set.Hooks {
		id := strings.TrimPrefix(h.ID, config.LayerWorkspace+"/")
		if h.Layer == config.LayerWorkspace && slices.Contains(k.lang.ids(k.Name), id) {
			return fmt.Errorf("there is a hook %s in %s already; choose another name with --name", id, h.File)
		}
	}
	if k.options.Getenv("HOOKWAY_TRUST") == "1" { // what is it without?
		options.Dir, options.Getenv = k.Root, func(name string) string {
			if name == "HOOKWAY_TRUST" {
				return ""
			}
			return k.options.Getenv(name)
		}
		own, err := config.Load(ctx, options)
		if err != nil {
			return err
		}
		set.Trust = own.Trust
		if err := own.Close(); err != nil {
			return err
		}
	}
	k.Trusted = set.Trust.State == trust.Given || set.Trust.State == trust.None
	return nil
}

// carryOut writes what was planned. If something cannot be written, nothing is.
func (k *Kit) carryOut(ctx context.Context) (err error) {
	var done written
	defer func() {
		if err != nil {
			done.undo()
		}
	}()
	for _, f := range k.files {
		if f.last {
			continue
		}
		if err := done.write(f); err != nil {
			return err
		}
	}
	if err := k.build(ctx, &done); err != nil {
		return err
	}
	for _, f := range k.files {
		if f.last {
			if err := done.write(f); err != nil {
				return err
			}
		}
	}
	if !k.Trusted || len(k.Todo) > 0 {
		k.Trusted = false
		return nil
	}
	options := k.options
	options.Dir = k.Root
	if _, err := config.Trust(options); err != nil {
		return fmt.Errorf("the workspace cannot be trusted: %w", err)
	}
	return nil
}

// Next are the steps that follow.
func (k *Kit) Next() [][2]string {
	var out [][2]string
	if !k.Trusted {
		out = append(out, [2]string{"hookway list", "shows the hooks; look at all of them"}, [2]string{"hookway trust", "lets them run"})
	}
	out = append(out, [2]string{"hookway test", "runs the tests: it refuses one call and lets another pass"})
	if again := k.again(); again != "" {
		out = append(out, [2]string{again, "after you changed " + k.source()})
	}
	if k.Trusted {
		out = append(out, [2]string{"hookway trust", "lets it run after you changed it"})
	}
	return append(out, [2]string{"hookway install claude", "brings Claude Code's events to it; other agents likewise"})
}
