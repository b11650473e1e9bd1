package guards

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
)

// follow gives the facts of a call that show only beside the calls before it.
func (s *session) follow(hash string, facts []hook.Fact, readable map[string]bool) []hook.Fact {
	var out []hook.Fact
	tell := func(f hook.Fact) {
		if !slices.ContainsFunc(out, func(o hook.Fact) bool { return o.What == f.What && o.Path == f.Path && o.Host == f.Host }) {
			out = append(out, f)
		}
	}
	for i := range facts {
		f := &facts[i]
		if f.Dry {
			continue
		}
		base := hook.Fact{Does: "sequence", By: f.By, At: f.At, Path: f.Path, Host: f.Host, Sure: f.Sure}
		if from := s.downloaded(f, readable); from != "" {
			base.What, base.Host = "downloaded", from
			tell(base)
		}
		if n := len(s.Secrets); n > 0 && sends(f) {
			base.What, base.Secret, base.Object = "secret", s.Secrets[n-1].Kind, s.Secrets[n-1].Where
			tell(base)
		}
		if o := s.ordered(); o != nil && usesRights(f) {
			base.What, base.Object, base.Verb = "orders", o.Where, actOf(f)
			tell(base)
		}
		if s.evades(hash, f) {
			base.What, base.Object = "refused", strings.ReplaceAll(target(f), "\x00", " ")
			tell(base)
		}
	}
	return out
}

// downloaded gives the host of a file that was downloaded, if a fact is that it runs and
// nobody could read what it does.
func (s *session) downloaded(f *hook.Fact, readable map[string]bool) string {
	if f.Does != "execute" || readable[f.Path] {
		return ""
	}
	return s.cameFrom(f.Path)
}

// reader reads up to so many bytes of a file.
type reader func(name string, most int) ([]byte, error)

// maxScript is the longest script of which the analysis gives facts.
const maxScript = 64 << 10

// readable reports whether a file is one that the analysis of a call reads: its facts
// are the call's, and other rules judge them.
func readable(name string, read reader) bool {
	b, err := read(name, maxScript)
	return err == nil && utf8.Valid(b) && bytes.IndexByte(b, 0) < 0
}

// ordered is the last result that gave the agent orders.
func (s *session) ordered() *outside {
	for i := len(s.Outside) - 1; i >= 0; i-- {
		if s.Outside[i].Orders != "" {
			return &s.Outside[i]
		}
	}
	return nil
}

// sends reports whether a fact is that something leaves this machine.
func sends(f *hook.Fact) bool {
	if f.Does != "connect" || f.Class == "loopback" || f.By == "git" { // what git sends is a fact of its own: the push
		return false
	}
	switch f.Method {
	case "", "GET", "HEAD", "OPTIONS":
		return len(f.Sends) > 0 || f.Scheme == "ssh"
	}
	return true
}

// usesRights reports whether a fact is an act in the user's name that others see.
func usesRights(f *hook.Fact) bool {
	switch f.Does {
	case "git":
		return f.Verb == "push"
	case "package":
		return f.Verb == "publish" || f.Verb == "unpublish"
	case "infra":
		return f.System != "docker" && f.Where != "local" && f.Verb != "get" && f.Verb != "plan" && f.Verb != "run"
	}
	return sends(f)
}

// actOf says in a word what such an act is.
func actOf(f *hook.Fact) string {
	switch {
	case f.Does == "git", f.Does == "package":
		return f.Verb
	case f.Does == "infra":
		return f.Verb + " " + f.Object
	}
	return "send"
}

// target names what a fact acts upon, the same for each program and tool that could act.
// "" is of facts that a refusal does not hold on to.
func target(f *hook.Fact) string {
	switch f.Does {
	case "delete":
		return "gone\x00" + place(f)
	case "move":
		if f.Where == "project" { // it is still there
			return "moved\x00" + place(f)
		}
		return "gone\x00" + place(f)
	case "write":
		return "write\x00" + place(f)
	case "read":
		if f.Secret != "" && f.Path != "" {
			return "read\x00" + place(f)
		}
	case "connect":
		if f.Host != "" && (sends(f) || f.Class == "metadata") {
			return "send\x00" + f.Host
		}
	case "git":
		if f.Verb == "push" && f.Ref != "" {
			return "push\x00" + f.Ref + forced(f)
		}
		if f.Verb == "rm" && f.Path != "" {
			return "gone\x00" + place(f)
		}
		return ""
	case "sql":
		if f.Object != "" && !f.Bounded {
			return "sql\x00" + f.Verb + "\x00" + strings.ToLower(f.Object)
		}
	case "infra":
		if f.Object != "" && (f.Verb == "delete" || f.Verb == "apply") {
			return f.System + "\x00" + f.Verb + "\x00" + f.Object
		}
	case "package":
		if f.Name != "" || f.Verb == "publish" {
			return "package\x00" + f.Manager + "\x00" + f.Verb + "\x00" + f.Name
		}
	case "system":
		if f.Object != "" {
			return "system\x00" + f.What + "\x00" + f.Object
		}
	}
	return ""
}

func forced(f *hook.Fact) string {
	if f.Force || f.Deletes {
		return "\x00force"
	}
	return ""
}

func place(f *hook.Fact) string {
	p := f.Path
	if f.Real != "" {
		p = f.Real
	}
	if p == "" || strings.Contains(p, "…") {
		return "\x00" // not known: it equals nothing
	}
	return path.Clean(p)
}

// evades reports whether a fact is what was refused before, in another call. The very
// same call is judged as it was then.
func (s *session) evades(hash string, f *hook.Fact) bool {
	t := target(f)
	if t == "" || strings.HasSuffix(t, "\x00\x00") {
		return false
	}
	for _, r := range s.Refused {
		if r.Call != hash && slices.Contains(r.Targets, keep(t)) {
			return true
		}
	}
	return false
}

// targets are those of facts, without what is not known.
func targets(facts []hook.Fact) []string {
	var out []string
	for i := range facts {
		if t := target(&facts[i]); t != "" && !facts[i].Dry && !strings.HasSuffix(t, "\x00\x00") && !slices.Contains(out, keep(t)) && len(out) < maxTargets {
			out = append(out, keep(t))
		}
	}
	return out
}
