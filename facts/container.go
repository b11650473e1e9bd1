package facts

import (
	"cmp"
	"path"
	"strings"
)

// bind is a folder of this machine that a container has, and where.
type bind struct {
	here, there string
	readonly    bool
}

// bind notes that the container has a folder of this machine.
func (c serviceCall) bind(here, there string, readonly bool) {
	if strings.HasPrefix(there, "/") && len(c.binds) < maxValues {
		c.binds = append(c.binds, bind{here, path.Clean(there), readonly})
	}
}

// container runs words in a container. What it does below a folder of this machine it does
// here.
func (c serviceCall) container(args []field) values {
	old := c.st
	c.shell.st = old.clone()
	c.st.remote, c.st.binds = "container", c.binds
	if c.name != "docker" && c.name != "podman" && c.name != "nerdctl" && c.name != "docker-compose" {
		c.st.remote = "pod"
	}
	if dir := cmp.Or(c.value["-w"], c.value["--workdir"]); strings.HasPrefix(dir, "/") {
		c.st.dirs = []string{dir}
	}
	out := c.wrapped(args)
	c.shell.st = old
	return out
}

// here is where a path of a container lies on this machine. It is false for one that is only
// the container's.
func (sh *shell) here(p, does string) (string, bool) {
	best, out := -1, ""
	for _, b := range sh.st.binds {
		if name := path.Clean(p); under(name, b.there) && len(b.there) > best && !(b.readonly && does != "read") {
			best, out = len(b.there), path.Join(b.here, strings.TrimPrefix(name, strings.TrimSuffix(b.there, "/")))
		}
	}
	return out, best >= 0
}

// atHome runs f as what happens on this machine, though a container does it.
func (sh *shell) atHome(f func()) {
	old := sh.st
	sh.st = old.clone()
	sh.st.remote, sh.st.binds = "", nil
	f()
	sh.st = old
}
