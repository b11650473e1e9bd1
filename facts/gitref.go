package facts

import (
	"path"
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
		f.Creates = c.newRef(ref.text)
	case 3: // git itself refuses if it has another value now
		old := p.operands[2]
		f.Creates = old.known() && (len(old.text) == 40 || len(old.text) == 64) && strings.Trim(old.text, "0") == "" || c.newRef(ref.text)
	}
}

// newRef reports whether a repository is known not to have a reference.
func (c *call) newRef(ref string) bool {
	g := c.gitConfig()
	if !g.read || c.world.Lstat == nil {
		return false
	}
	if how := g.settings["extensions.refstorage"]; len(how) > 0 && how[len(how)-1] != "files" {
		return false
	}
	for _, dir := range []string{g.dir, g.common} {
		if _, err := c.world.Lstat(path.Join(dir, ref)); err == nil {
			return false
		}
	}
	b, err := c.world.ReadFile(g.common+"/packed-refs", maxPackedRefs)
	if err != nil {
		_, err := c.world.Lstat(g.common + "/packed-refs")
		return err != nil
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
