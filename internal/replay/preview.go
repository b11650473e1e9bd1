// Package replay judges tool calls of the past as hookway's own rules would have, from
// the records that agents keep of their sessions. Nothing is run, written or sent.
//
// The past is not the present: what a call looked at then may be another now. Links,
// folders and scripts are looked at as they are on the disk today, and the environment
// is that of today; a session goes on as its record says, whatever a rule would have
// stopped.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/transcript"
)

// Plan says which calls are judged, and by what.
type Plan struct {
	Getenv  func(string) string // where the agents keep their records
	Environ []string            // what calls find, KEY=VALUE
	Agents  []string            // of transcript.Agents; none: all
	Since   time.Time           // calls from then on
	Now     time.Time
	Use     []string // default, strict, or names of packs; none: default

	// Workers is how many sessions are played at a time; 0 is as many as there are
	// processors, and at most 8.
	Workers int

	// Beside is set where other work is done in the same process: a line of a record may
	// have less then, so that no record takes much memory.
	Beside bool

	// Tell is told how far it is, if it is set: bytes of records, of how many. Several
	// goroutines call it.
	Tell func(done, all int64)
}

// Words for all packs at once.
const (
	useDefault = "default"
	useStrict  = "strict"
)

// Policy gives the policy of what --use says: default, strict, or names of packs.
func Policy(use []string) (*guards.Policy, error) {
	p := &guards.Policy{Mode: guards.Auto}
	for _, name := range use {
		switch {
		case name == useDefault && len(use) == 1:
			p.Packs = guards.Names()
		case name == useStrict && len(use) == 1:
			p.Packs, p.Rules = guards.Names(), guards.StrictRules()
		case name == useDefault, name == useStrict:
			return nil, fmt.Errorf("%s is every pack, and stands alone", name)
		case slices.Contains(guards.Names(), name):
			p.Packs = append(p.Packs, name)
		default:
			hint := "want default, strict, or packs of " + strings.Join(guards.Names(), ", ")
			if near := hook.Nearest(name, append(guards.Names(), useDefault, useStrict)); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, fmt.Errorf("unknown pack %q: %s", name, hint)
		}
	}
	return p, nil
}

// modest bounds a line of a record that is read beside other work: a picture fits.
var modest = transcript.Most{Bytes: 4 << 20, Values: 1 << 15}

// most bounds a line of a record.
func (plan *Plan) most() transcript.Most {
	if plan.Beside {
		return modest
	}
	return transcript.Ample
}

// preview is one run of a plan.
type preview struct {
	*Plan
	policy *guards.Policy
	worlds *worlds

	searches bool // a pack is on that judges results
	done     atomic.Int64
	all      int64

	mu       sync.Mutex
	copies   copies
	report   *Report
	problems problems
}

// Check says what is wrong with a plan, and makes what it leaves out what is usual.
func (plan *Plan) Check() error {
	if len(plan.Agents) == 0 {
		plan.Agents = transcript.Agents()
	}
	for _, agent := range plan.Agents {
		if !slices.Contains(transcript.Agents(), agent) {
			return fmt.Errorf("unknown agent %q: want one of %s", agent, strings.Join(transcript.Agents(), ", "))
		}
	}
	if len(plan.Use) == 0 {
		plan.Use = []string{useDefault}
	}
	plan.Use = slices.Clone(plan.Use)
	slices.Sort(plan.Use)
	plan.Use = slices.Compact(plan.Use) // said twice is said once
	_, err := Policy(plan.Use)
	return err
}

// Preview judges the calls of the past. What cannot be read is told in the report, and
// the rest goes on. An error is of a plan that is wrong, or of a context that ended.
func Preview(ctx context.Context, plan Plan) (*Report, error) {
	if err := plan.Check(); err != nil {
		return nil, err
	}
	policy, err := Policy(plan.Use)
	if err != nil {
		return nil, err
	}
	p := &preview{Plan: &plan, policy: policy, worlds: newWorlds(plan.Environ), copies: newCopies(), searches: policy.Results()}
	p.report = newReport(&plan)
	records, problems := transcript.List(ctx, plan.Getenv, plan.Agents, plan.Since)
	for _, err := range problems {
		p.problem(err)
	}
	for _, r := range records {
		p.all += r.Size
	}
	p.play(ctx, byGroup(records))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.report.finish(&p.problems)
	return p.report, nil
}

// byGroup puts the records of a session and its sub-agents together.
func byGroup(records []transcript.Record) (groups [][]transcript.Record) {
	for _, r := range records {
		if n := len(groups); n > 0 && groups[n-1][0].Group == r.Group {
			groups[n-1] = append(groups[n-1], r)
			continue
		}
		groups = append(groups, []transcript.Record{r})
	}
	return groups
}

// play plays sessions, some at a time, the largest ones first.
func (p *preview) play(ctx context.Context, groups [][]transcript.Record) {
	size := func(g []transcript.Record) (n int64) {
		for _, r := range g {
			n += r.Size
		}
		return n
	}
	slices.SortStableFunc(groups, func(a, b []transcript.Record) int { return int(min(max(size(b)-size(a), -1), 1)) })
	next := make(chan []transcript.Record)
	var workers sync.WaitGroup
	for range cmp.Or(p.Workers, min(runtime.GOMAXPROCS(0), 8)) {
		workers.Go(func() {
			for group := range next {
				s := newPlayer(p, group)
				s.play(ctx)
				p.mu.Lock()
				p.report.add(s.counts)
				p.mu.Unlock()
			}
		})
	}
	for _, group := range groups {
		next <- group
	}
	close(next)
	workers.Wait()
}

// problem keeps what could not be read.
func (p *preview) problem(err error) {
	p.mu.Lock()
	p.problems.add(err, p.worlds.home)
	p.mu.Unlock()
}

// read counts bytes that were read.
func (p *preview) read(n int64) {
	if done := p.done.Add(n); p.Tell != nil && n > 0 {
		p.Tell(done, p.all)
	}
}

// mostProblems bounds how many are told one by one.
const mostProblems = 1000

// problems are what could not be read, one line each.
type problems struct {
	texts []string
	more  int
	first int // of texts, those that say what is wrong with all that was read

	torn     int // lines of agents' records
	unversed int // records of a version that is not known
}

func (l *problems) add(err error, home string) {
	if errors.Is(err, context.Canceled) {
		return
	}
	var more *moreLines
	switch {
	case errors.As(err, &more):
		l.torn += more.n
	case errors.Is(err, transcript.ErrLine):
		l.torn++
	case errors.Is(err, transcript.ErrVersion):
		l.unversed++
	}
	var broken *unverified
	if errors.As(err, &broken) {
		l.texts = slices.Insert(l.texts, l.first, hook.LogLine(err.Error()))
		l.first++
		return
	}
	if len(l.texts) >= mostProblems {
		l.more++
		return
	}
	l.texts = append(l.texts, hook.LogLine(tilde(err.Error(), home)))
}

// mostCopies bounds how many calls are remembered by their ids.
const mostCopies = 1 << 20

// copies knows calls that were seen: a session that is made from another begins with a
// copy of it.
type copies struct {
	seed     maphash.Seed
	now, old map[uint64]struct{}
}

func newCopies() copies { return copies{seed: maphash.MakeSeed(), now: map[uint64]struct{}{}} }

// longID is from how many bytes on an id names one call in the world. A copy may have a
// new time.
const longID = 16

// first reports whether a call was not seen before.
func (c *copies) first(agent string, e *transcript.Entry) bool {
	if e.ID == "" {
		return true
	}
	key := agent + "\x00" + e.ID + "\x00" + e.Tool + "\x00" + string(e.Input)
	if len(e.ID) < longID {
		key += "\x00" + e.Session + "\x00" + strconv.FormatInt(e.Time.UnixNano(), 36)
	}
	sum := maphash.String(c.seed, key)
	_, now := c.now[sum]
	_, old := c.old[sum]
	if now || old {
		return false
	}
	if len(c.now) >= mostCopies {
		c.old, c.now = c.now, map[uint64]struct{}{}
	}
	c.now[sum] = struct{}{}
	return true
}
