package guards

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
)

// Before counts a call, and gives the facts about it that show only beside the earlier
// events of its session: that it was made again and again, that its budget is used up,
// that it runs what was downloaded, that it sends after a secret was read, that it does
// what was refused. An event without a session has only the budget of its agent's day.
func (st *State) Before(ev hook.AnyEvent, facts []hook.Fact, b Budget) []hook.Fact {
	call, ok := hook.CallOf(ev)
	if st == nil || !ok {
		return nil
	}
	head, now := ev.Head(), ev.Time()
	var out []hook.Fact
	var worked time.Duration
	if head.Session != "" {
		hash, readable := callHash(call.Name, call.Input), st.readable(head.Session, facts)
		st.use(head.Session, func(s *session) bool {
			before := s.Work
			out = s.count(hash, facts, now)
			out = append(out, s.follow(hash, facts, readable)...)
			if b.Per != PerDay {
				out = append(out, s.spent(b.of(head.Agent))...)
			}
			worked = s.Work - before
			return false
		})
	}
	if b.Per == PerDay {
		st.use(day(head.Agent, now), func(s *session) bool {
			if head.Session == "" {
				s.tick(now)
			}
			s.Calls, s.Work = s.Calls+1, s.Work+worked
			out = append(out, s.spent(b.of(head.Agent))...)
			return false
		})
	}
	return out
}

// readable are the files that a call runs, that were downloaded, and that the analysis
// reads. It reads them while nothing is locked.
func (st *State) readable(key string, facts []hook.Fact) map[string]bool {
	var run []string
	for i := range facts {
		if f := &facts[i]; f.Does == "execute" && f.Path != "" && !f.Dry && !slices.Contains(run, f.Path) && len(run) < maxTargets {
			run = append(run, f.Path)
		}
	}
	if len(run) == 0 {
		return nil
	}
	st.look(key, func(s *session) {
		run = slices.DeleteFunc(run, func(name string) bool { return s.cameFrom(name) == "" })
	})
	found := map[string]bool{}
	for _, name := range run {
		found[name] = readable(name, st.readFile)
	}
	return found
}

// day is the key under which an agent's day is kept.
func day(agent string, at time.Time) string {
	return "day\x00" + agent + "\x00" + at.UTC().Format(time.DateOnly)
}

// Decided keeps what became of a call: what was found, and whether it was stopped. One
// that was asked about may run; only its result tells, or Refused.
func (st *State) Decided(ev hook.AnyEvent, facts []hook.Fact, judged []Judged, stopped bool) {
	call, ok := hook.CallOf(ev)
	if st == nil || !ok {
		return
	}
	var why []hook.Fact
	for _, j := range judged {
		if j.Counts {
			why = append(why, j.Fact)
		}
	}
	p := pending{Call: callHash(call.Name, call.Input), ID: keep(call.ID), Targets: targets(why)}
	if !stopped {
		p.expect(call.Name, facts, judged)
	}
	if ev.Head().Session == "" {
		if p.budget() { // of the day, where it was counted
			p.Targets, p.Writes, p.Outside = nil, nil, ""
			st.use(day(ev.Head().Agent, ev.Time()), func(s *session) bool { s.expects(p); return false })
		}
		return
	}
	st.use(ev.Head().Session, func(s *session) bool {
		if stopped {
			s.refuse(p.Call, p.Targets)
			return len(p.Targets) > 0
		}
		s.expects(p)
		return s.began(facts, ev.Head().CWD)
	})
}

// Refused keeps that a call did not happen that rules asked about: nobody could be asked.
func (st *State) Refused(ev hook.AnyEvent) {
	if call, ok := hook.CallOf(ev); st != nil && ok {
		st.denied(ev, call)
	}
}

func (s *session) expects(p pending) {
	s.Pending = add(s.Pending, p, maxPending, func(o pending) bool { return o.Call == p.Call && o.ID == p.ID })
}

// budget reports whether a call was asked about because of a budget.
func (p *pending) budget() bool { return strings.HasPrefix(p.Asked, "loops/budget") }

func (s *session) refuse(call string, targets []string) {
	if len(targets) > 0 {
		s.Refused = add(s.Refused, refused{call, targets}, maxRefused, func(r refused) bool { return r.Call == call })
	}
}

// expect notes what the result of a call will show, if it runs.
func (p *pending) expect(tool string, facts []hook.Fact, judged []Judged) {
	for _, j := range judged {
		if !j.Counts || j.Verdict == Warn || j.Fact.Does != "loop" && j.Fact.Does != "budget" && j.Fact.Does != "sequence" {
			continue
		}
		p.Asked = j.Rule.ID
		if j.Fact.What == "downloaded" && len(p.Runs) < maxTargets {
			p.Runs = append(p.Runs, keep(j.Fact.Path))
		}
	}
	room := maxRead
	for i := range facts {
		f := &facts[i]
		if (f.Does == "write" || f.Does == "delete" || f.Does == "move") && f.Path != "" && !f.Dry && len(p.Writes) < maxTargets {
			name := f.Path // as it is, to be read
			if room -= encoded(name); room < 0 || !utf8.ValidString(name) {
				name = keep(name)
			}
			p.Writes = append(p.Writes, name)
		}
	}
	p.Outside = short(source(tool, facts))
}

// source says where the result of a call would come from, if that is elsewhere.
func source(tool string, facts []hook.Fact) string {
	for i := range facts {
		switch f := &facts[i]; {
		case f.Does == "connect" && f.Class != "loopback" && len(f.Receives) == 0 && f.Host != "":
			return f.Host
		case f.Does == "infra" && (f.System == "github" || f.System == "gitlab") && f.Verb == "get":
			return f.System
		}
	}
	if strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(strings.ToLower(tool), "web") {
		return tool
	}
	return ""
}

// began notes what a call that may run will have done: files it downloads, secrets it
// reads. It reports whether there are any.
func (s *session) began(facts []hook.Fact, dir string) (noted bool) {
	for i := range facts {
		f := &facts[i]
		if f.Dry {
			continue
		}
		switch {
		case f.Does == "connect" && f.Class != "loopback" && f.Host != "":
			for _, to := range f.Receives {
				if rooted(to) {
					s.wrote(keep(to), "", short(f.Host))
					noted = true
				}
			}
		case f.Does == "read" && f.Secret != "" && !strings.HasPrefix(f.Path, "env:PATH"):
			e := secret{short(f.Secret), short(f.Path)}
			s.Secrets = add(s.Secrets, e, maxSecrets, func(o secret) bool { return o == e })
			noted = true
		}
	}
	return s.handOn(facts, dir) || noted
}

// handOn notes the copies of what was downloaded: a call that reads, moves or unpacks
// such a file writes what came from elsewhere too.
func (s *session) handOn(facts []hook.Fact, dir string) (noted bool) {
	for i := range facts {
		f := &facts[i]
		from := ""
		switch f.Does {
		case "read", "move":
			from = s.cameFrom(f.Path)
		case "run":
			if to := unpackedTo(f, dir); to != "" {
				for _, a := range f.Args {
					if from = s.cameFrom(absolute(a, dir)); from != "" && !s.knows(to, from) {
						s.wrote(keep(to), "", from)
						noted = true
					}
				}
			}
			continue
		}
		for k := range facts {
			if w := &facts[k]; from != "" && w.Does == "write" && w.By == f.By && w.Path != "" && w.By != "chmod" && w.By != "chown" && w.By != "touch" && !s.knows(w.Path, from) {
				s.wrote(keep(w.Path), "", from)
				noted = true
			}
		}
	}
	return noted
}

// cameFrom gives the host that a file was downloaded from.
func (s *session) cameFrom(name string) string {
	if name == "" {
		return ""
	}
	at := lineageOf(name)
	for _, d := range s.Files {
		if d.From != "" && at.below(d.Path) {
			return d.From
		}
	}
	return ""
}

// unpackedTo gives the folder that a program unpacks into, if it is told one.
func unpackedTo(f *hook.Fact, dir string) string {
	if !slices.Contains([]string{"tar", "bsdtar", "unzip", "7z"}, f.Program) {
		return ""
	}
	for i, a := range f.Args {
		if (a == "-C" || a == "-d" || a == "--directory") && i+1 < len(f.Args) {
			return absolute(f.Args[i+1], dir)
		}
		if to, ok := strings.CutPrefix(a, "--directory="); ok {
			return absolute(to, dir)
		}
	}
	return ""
}

func absolute(name, dir string) string {
	if rooted(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

func (s *session) knows(name, from string) bool {
	at := lineageOf(name)
	return slices.ContainsFunc(s.Files, func(d file) bool { return d.From == from && at.below(d.Path) })
}

func (s *session) wrote(name, hash, from string) {
	s.Files = add(s.Files, file{name, hash, from}, maxFiles, func(o file) bool { return o.Path == name })
}

// Seen is what was found in a result.
type Seen struct {
	Orders  string   // how it gives the agent orders, "" if it does not
	Secrets []string // kinds of live credentials that the agent got to see
}

// After keeps what an event tells of calls that were made: results, failures, refusals
// of a person, what a person said, tokens.
func (st *State) After(ev hook.AnyEvent, seen Seen) {
	if st == nil {
		return
	}
	call, _ := hook.CallOf(ev)
	switch p := ev.Body().(type) {
	case hook.ToolResult:
		ok := p.ToolResponse.Success && (p.ToolResponse.ExitCode == nil || *p.ToolResponse.ExitCode == 0)
		st.result(ev, call, resultHash(ok, p.ToolResponse.Output), ok, seen)
	case hook.ToolFailure:
		st.result(ev, call, resultHash(false, p.Error), false, seen)
	case hook.Permission:
		if ev.Info() == hook.PermissionDenied.Info() {
			st.denied(ev, call)
		}
	case hook.AgentRun:
		if ev.Head().Session == "" {
			return
		}
		st.use(ev.Head().Session, func(s *session) bool { return s.spoken() })
	case hook.GenerationResult:
		if p.Usage != nil {
			st.Tokens(ev, cmpOr(p.Usage.TotalTokens, p.Usage.PromptTokens+p.Usage.CompletionTokens))
		}
	}
}

func cmpOr(a, b int64) int64 {
	if a != 0 {
		return a
	}
	return b
}

// spoken forgets what counts only as long as nobody looks: a person said something.
func (s *session) spoken() bool {
	s.Refused, s.Equal, s.Recent, s.Failures = nil, nil, nil, 0
	return true
}

// Tokens adds tokens to those that a session and its agent's day took.
func (st *State) Tokens(ev hook.AnyEvent, n int64) {
	if st == nil || n <= 0 {
		return
	}
	for _, key := range []string{ev.Head().Session, day(ev.Head().Agent, ev.Time())} {
		if key != "" {
			st.use(key, func(s *session) bool { s.Tokens += n; return false })
		}
	}
}

// result keeps what came back from a call.
func (st *State) result(ev hook.AnyEvent, call hook.ToolCall, result string, ok bool, seen Seen) {
	hash, today := callHash(call.Name, call.Input), day(ev.Head().Agent, ev.Time())
	if ev.Head().Session == "" {
		if p := st.waiting(today, hash, call.ID); p.budget() {
			st.use(today, func(s *session) bool { return s.ran(s.take(hash, call.ID)) })
		}
		return
	}
	hashes := map[string]string{} // of files: nothing is locked while they are read
	for _, name := range st.waiting(ev.Head().Session, hash, call.ID).Writes {
		hashes[name] = fileHash(st.readFile, name)
	}
	budget := false
	st.use(ev.Head().Session, func(s *session) bool {
		s.tick(ev.Time())
		p := s.take(hash, call.ID)
		budget = p.budget()
		now := s.changed(p.Writes, hashes)
		s.answered(hash, result, ok, p.Asked != "")
		now = s.ran(p) || now
		if where := p.Outside; where != "" || seen.Orders != "" {
			if where == "" {
				where = short("a result of " + call.Name)
			}
			o := outside{where, short(seen.Orders)}
			s.Outside = add(s.Outside, o, maxOutside, func(e outside) bool { return e.Where == where && (e.Orders == "" || seen.Orders != "") })
			now = now || seen.Orders != ""
		}
		for _, kind := range seen.Secrets {
			e := secret{short(kind), short("a result of " + call.Name)}
			s.Secrets = add(s.Secrets, e, maxSecrets, func(o secret) bool { return o == e })
			now = true
		}
		return now
	})
	if budget {
		st.use(today, func(s *session) bool { s.Granted = s.Warned + budgetStep; return true })
	}
}

// changed notes what files hold after a call that may have written them.
func (s *session) changed(paths []string, hashes map[string]string) bool {
	for _, p := range paths {
		hash, was, from := hashes[p], "", ""
		for _, f := range s.Files {
			if f.Path == keep(p) {
				was, from = f.Hash, f.From
			}
		}
		if hash == "" || hash != was {
			s.Changes++
		}
		s.wrote(keep(p), hash, from)
	}
	return len(paths) > 0
}

// ran forgets what a call settles that went on although rules asked: what it was about
// is no longer refused, and what it ran is known.
func (s *session) ran(p pending) bool {
	if p.Call == "" {
		return false
	}
	n := len(s.Refused)
	s.Refused = slices.DeleteFunc(s.Refused, func(r refused) bool {
		return slices.ContainsFunc(r.Targets, func(t string) bool { return slices.Contains(p.Targets, t) })
	})
	for _, run := range p.Runs {
		s.Files = slices.DeleteFunc(s.Files, func(f file) bool { return f.From != "" && f.Path == run })
	}
	if p.budget() {
		s.Granted = s.Warned + budgetStep
	}
	return n != len(s.Refused) || len(p.Runs) > 0
}

// find gives the place of the call that a result belongs to, by its id or by what it is.
func (s *session) find(hash, id string) int {
	i := slices.IndexFunc(s.Pending, func(p pending) bool { return id != "" && p.ID == keep(id) })
	if i < 0 {
		i = slices.IndexFunc(s.Pending, func(p pending) bool { return p.Call == hash && (id == "" || p.ID == "") })
	}
	return i
}

// take gives the call that a result belongs to, which waits no more.
func (s *session) take(hash, id string) pending {
	i := s.find(hash, id)
	if i < 0 {
		return pending{}
	}
	p := s.Pending[i]
	s.Pending = slices.Delete(s.Pending, i, i+1)
	return p
}

// waiting is a call that waits for its result.
func (st *State) waiting(key, hash, id string) (p pending) {
	st.look(key, func(s *session) {
		if i := s.find(hash, id); i >= 0 {
			p = s.Pending[i]
		}
	})
	return p
}

// denied keeps that a call was refused that was asked about.
func (st *State) denied(ev hook.AnyEvent, call hook.ToolCall) {
	key, hash := ev.Head().Session, callHash(call.Name, call.Input)
	if key == "" || st.waiting(key, hash, call.ID).Call == "" {
		return
	}
	st.use(key, func(s *session) bool {
		p := s.take(hash, call.ID)
		s.refuse(p.Call, p.Targets)
		return len(p.Targets) > 0
	})
}
