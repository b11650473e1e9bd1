package facts

import (
	"path"
	"strings"

	"github.com/hookway/hookway/hook"
)

// mode tells of permissions that let others in: set-user-ID bits, and everything for
// everybody outside the project. It also tells where they shut out the user.
func (c tableCall) mode(f field, p parsed) {
	if c.name != "chmod" {
		return
	}
	mode, asOption := f.text, c.seen["-r"] // chmod -rwx x
	if asOption {
		mode = "-r"
	}
	m := strings.TrimLeft(mode, "0")
	numeric := strings.Trim(mode, "01234567") == ""
	special := numeric && len(m) == 4 && m[0] >= '2' || !numeric && strings.Contains(mode, "s") && strings.ContainsAny(mode, "+=")
	open := numeric && strings.HasSuffix(m, "7") || !numeric && (strings.Contains(mode, "o+w") || strings.Contains(mode, "a+w") || strings.Contains(mode, "+rwx") && !strings.HasPrefix(mode, "u"))
	shuts := numeric && shutsOut(m) || !numeric && shutsOutBySigns(mode)
	for _, o := range p.operands {
		if o.text == f.text && o.at == f.at && !asOption {
			continue
		}
		for _, place := range c.places(o.text) {
			scope := ""
			if !strings.ContainsRune(place, hole) {
				scope = c.world.scope(path.Clean(place))
			}
			wide := scope == scopeRoot || scope == scopeSystem || scope == "" && c.seen["recursive"]
			theirs := scope == scopeRoot || scope == scopeSystem || scope == scopeHome || scope == scopeOther
			if special || open && wide || shuts && theirs {
				c.tell(hook.Fact{Does: "system", What: "permissions", Object: visible(mode + " " + o.text), Scope: scope, At: c.at, Sure: scope != ""})
			}
		}
	}
}

// shutsOut reports whether a mode in digits, without zeros before it, leaves the owner nothing
// to read.
func shutsOut(m string) bool { return len(m) < 3 || m[len(m)-3] < '4' }

// shutsOutBySigns reports it of a mode in letters, as a-rwx or u=.
func shutsOutBySigns(mode string) bool {
	for clause := range strings.SplitSeq(mode, ",") {
		i := strings.IndexAny(clause, "+-=")
		if i < 0 || i > 0 && !strings.ContainsAny(clause[:i], "ua") {
			continue
		}
		if reads := strings.Contains(clause[i:], "r"); clause[i] == '-' && reads || clause[i] == '=' && !reads && !strings.ContainsAny(clause[i:], "ugo") {
			return true
		}
	}
	return false
}

// owner tells that all below a folder of the system gets another owner, or something of the
// user one who is not the user.
func (c tableCall) owner(f field, p parsed) {
	for _, o := range p.operands {
		for _, place := range c.places(o.text) {
			if o.at == f.at || strings.ContainsRune(place, hole) {
				continue
			}
			place = path.Clean(place)
			scope := c.world.scope(place)
			top := scope == scopeRoot && place != c.world.project() && c.seen["recursive"]
			if top || scope == scopeSystem && c.seen["recursive"] || scope == scopeHome && c.isAnother(f) {
				c.tell(hook.Fact{Does: "system", What: "permissions", Object: visible(f.text + " " + o.text), Scope: scope, At: c.at, Sure: true})
			}
		}
	}
}

// isAnother reports whether an owner is known to be somebody else than the user.
func (c tableCall) isAnother(f field) bool {
	name, _, _ := strings.Cut(f.text, ":")
	if !f.known() || name == "" || c.name != "chown" || name == path.Base(c.world.Home) || name == c.world.Env["USER"] {
		return false
	}
	return name == "0" || strings.Trim(name, "0123456789") != ""
}
