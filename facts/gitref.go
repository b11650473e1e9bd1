package facts

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// maxPackedRefs bounds the list of references that is read to know whether one is new.
const maxPackedRefs = 1 << 20

// gitUpdateRef reads which reference is set, and whether it is a new one: that takes
// nothing away.
func gitUpdateRef(c *call, p parsed, f *hook.Fact) {
	if len(p.operands) == 0 || c.seen["--stdin"] {
		return
	}
	ref := p.operands[0]
	f.Ref = visible(strings.TrimPrefix(ref.text, "refs/heads/"))
	f.Sure = ref.known()
	if f.Deletes || !ref.known() || !strings.HasPrefix(ref.text, "refs/") || path.Clean(ref.text) != ref.text {
		return
	}
	switch len(p.operands) {
	case 2:
		f.Creates = c.git().newRef(ref.text)
	case 3: // git itself refuses if it has another value now
		old := p.operands[2]
		f.Creates = old.known() && (len(old.text) == 40 || len(old.text) == 64) && strings.Trim(old.text, "0") == "" || c.git().newRef(ref.text)
	}
}

// gitSymbolicRef tells a reference that is made another name for one from a mere look at
// it. Who moves a HEAD moves no branch.
func gitSymbolicRef(c *call, p parsed, f *hook.Fact) {
	if len(p.operands) == 0 || len(p.operands) < 2 && !f.Deletes {
		return
	}
	ref := p.operands[0]
	f.Ref, f.Sure = visible(strings.TrimPrefix(ref.text, "refs/heads/")), ref.known()
	f.Force = path.Base(ref.text) != "HEAD"
	c.shared.repointed = true
	for i := range c.out { // in a loop it may come first
		if f.Force && c.out[i].Verb == "update-ref" {
			c.out[i].Creates = false
		}
	}
}

// newRef reports whether a repository is known not to have a reference. What replaces an
// object is never new: every history with that object changes.
func (c gitCall) newRef(ref string) bool {
	if c.world.Lstat == nil || c.world.ReadFile == nil || strings.HasPrefix(strings.ToLower(ref), "refs/replace/") || c.refsChanged() {
		return false
	}
	if len(c.st.dirs) != 1 {
		return false
	}
	for _, name := range []string{"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_REPLACE_REF_BASE"} {
		if c.net().environment(name).anyText() {
			return false
		}
	}
	if dir := c.net().environment("GIT_DIR"); dir.anyText() {
		if len(dir) != 1 || !dir[0].known() {
			return false
		}
		named := &gitConfig{settings: map[string][]string{}}
		named.dir = path.Clean(c.places(dir[0].text)[0])
		named.common = named.dir
		named.read = c.gitSettings(named, named.dir+"/config")
		if !c.lacksRef(named, ref) {
			return false
		}
		other := &gitConfig{settings: map[string][]string{}} // which counts if the variable is not exported
		c.gitDiscover(other)
		return !other.read && !other.vague || c.lacksRef(other, ref)
	}
	return c.lacksRef(c.gitConfig(), ref)
}

// anyText reports whether one of some values is not empty.
func (vs values) anyText() bool {
	return slices.ContainsFunc(vs, func(v value) bool { return v.text != "" || !v.known() })
}

// refsChanged reports whether the line may have made a reference another one's name, or
// one that is not on the disk yet.
func (c gitCall) refsChanged() bool {
	return c.shared.repointed || slices.ContainsFunc(c.out, func(f hook.Fact) bool {
		return f.Does == "unknown" || (f.Does == "write" || f.Does == "move") && slices.Contains(strings.Split(f.Path, "/"), ".git")
	})
}

// lacksRef reports whether the repository of a configuration has no such reference.
func (c gitCall) lacksRef(g *gitConfig, ref string) bool {
	if !g.read || g.vague {
		return false
	}
	if how := g.settings["extensions.refstorage"]; len(how) > 0 && how[len(how)-1] != "files" {
		return false
	}
	for _, dir := range []string{g.dir, g.common} {
		if !c.missing(path.Join(dir, ref)) {
			return false
		}
	}
	b, err := c.world.ReadFile(g.common+"/packed-refs", maxPackedRefs)
	if err != nil {
		return c.missing(g.common + "/packed-refs")
	}
	if len(b) >= maxPackedRefs || !c.step() {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if _, name, _ := strings.Cut(strings.TrimSpace(line), " "); strings.EqualFold(name, ref) { // some disks know no case
			return false
		}
	}
	return true
}

// missing reports whether nothing lies at a path; what cannot be told is not missing.
func (c gitCall) missing(name string) bool {
	_, err := c.world.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}
