package config

import (
	"maps"
	"slices"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/trust"
)

// agreed is what a script may do that names no grants, neither in its file nor beside its
// name: what was seen in its code when it was trusted, and the user has agreed to. It
// ends with a change of any file of the script. Whatever its code hides it may not do.
func (l *scripts) agreed(src *source, path string, bundle *script.Bundle) []script.Grant {
	if l.asking == src.layer {
		return bundle.Uses()
	}
	said, ok := l.trust.Own[path]
	if src.layer == LayerWorkspace {
		said, ok = l.trust.Workspaces[l.workspace].Seen[src.shown(path)]
	}
	if !ok || said.Hash != l.hashOf(bundle) {
		return nil
	}
	return readGrants(said.Seen)
}

// readGrants reads what trust.json has; what nobody knows is no grant.
func readGrants(names []string) (out []script.Grant) {
	for _, name := range names {
		if g, err := script.ParseGrant(name); err == nil {
			out = append(out, g)
		}
	}
	return out
}

// hashOf is the hash of what the files of a script hold.
func (l *scripts) hashOf(b *script.Bundle) string {
	var c trust.Pins
	for _, file := range b.Files {
		if p, ok := l.pinned.Files[file]; ok {
			c.Put(p)
		} else {
			c.Add(file)
		}
	}
	return c.Manifest.Hash()
}

// seenIn is what trust.json keeps of what was seen in the scripts of a layer.
func (l *scripts) seenIn(la *layer, key func(*source, *scriptFile) string) map[string]trust.Agreed {
	out := map[string]trust.Agreed{}
	l.eachScript(la, func(src *source, file *scriptFile) {
		if !file.seen || len(file.program.Grants()) == 0 {
			return
		}
		one := trust.Agreed{Hash: l.hashOf(file.bundle)}
		for _, g := range file.program.Grants() {
			one.Seen = append(one.Seen, string(g))
		}
		out[key(src, file)] = one
	})
	return out
}

// TrustOwn agrees to what the user's own scripts were seen to do, if ask has nothing
// against it. They run without that, but may do only what they ask for by allow.
func TrustOwn(opts Options, ask func(trust.Status) error) (trust.Status, error) {
	l, err := newLoader(opts)
	if err != nil {
		return trust.Status{}, err
	}
	defer l.scripts.closePrograms()
	l.scripts.asking = LayerUser
	l.files.readUser()
	status := trust.Status{Workspace: l.userDir, State: trust.None}
	if err := l.set.Problems.Err(); err != nil {
		return status, err
	}
	before, err := l.store.Read()
	if err != nil {
		return status, err
	}
	entries := l.scripts.seenIn(&l.user, func(_ *source, file *scriptFile) string { return file.path })
	grants := map[string][]string{}
	l.scripts.eachScript(&l.user, func(src *source, file *scriptFile) {
		if was, ok := before.Own[file.path]; ok && was.Hash == entries[file.path].Hash {
			grants[src.shown(file.path)] = was.Seen
		}
	})
	status.Files = slices.Sorted(maps.Keys(entries))
	status.Wishes, status.Sees = l.wishes(&l.user, grants), l.sights(&l.user)
	for i, w := range status.Wishes { // what they ask for by themselves they have
		if len(w.Seen) == 0 {
			status.Wishes[i].More = nil
		}
	}
	if ask != nil {
		if err := ask(status); err != nil {
			return status, err
		}
	}
	if err := l.store.Change(func(t *trust.File) error { t.Own = entries; return nil }); err != nil {
		return status, err
	}
	status.State = trust.Given
	return status, nil
}

// UntrustOwn takes back what TrustOwn has agreed to. It reports whether there was any.
func UntrustOwn(opts Options) (was bool, err error) {
	l, err := newLoader(opts)
	if err != nil {
		return false, err
	}
	err = l.store.Change(func(t *trust.File) error {
		was, t.Own = len(t.Own) > 0, nil
		return nil
	})
	return was, err
}

// eachScript gives each script of a layer, once for each hook that names it.
func (l *scripts) eachScript(la *layer, do func(*source, *scriptFile)) {
	for _, f := range la.found {
		if f.script != nil {
			do(f.source, f.script)
		}
	}
	for _, f := range la.folders {
		for _, path := range f.scripts {
			if file := l.bundled[path]; file != nil {
				do(&f.source, file)
			}
		}
	}
}
