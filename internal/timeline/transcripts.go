package timeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of what is read of transcripts.
const (
	listEvery  = 5 * time.Second        // that folders are looked at again
	listTime   = 5 * time.Second        // to look at them
	summaryNow = 250 * time.Millisecond // to read new ones before an answer
	mostNow    = 4 << 20                // bytes of one that is read before an answer
	mostRead   = 256 << 20              // bytes of one
	mostTitle  = 200                    // letters
	maxAge     = 90 * 24 * time.Hour    // of those that are looked at
	mostHeld   = 20_000                 // summaries
)

// modest bounds one line of a transcript: the daemon reads it beside all else that it does.
var modest = transcript.Most{Bytes: 2 << 20, Values: 1 << 14}

// summary is what a transcript says in short.
type summary struct {
	transcript.Record
	id, folder, title, model string
	first, last              time.Time
	calls                    int64
	tokens                   Tokens
	read                     bool // false: only what its name says is known
	problem                  string
}

// shelf has the transcripts of all agents, in short.
type shelf struct {
	getenv func(string) string

	mu       sync.Mutex
	looked   time.Time
	all      map[string]*summary // by path and session
	problems []string
}

func keyOf(r *transcript.Record) string { return r.Agent + "\x00" + r.Path + "\x00" + r.Session }

// look gives the transcripts, the latest of which are read if there is time. unread is how
// many are not.
func (s *shelf) look(ctx context.Context, now time.Time) (list []summary, unread int64, problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.looked) > listEvery {
		s.list(ctx, now)
	}
	soon, cancel := context.WithTimeout(ctx, summaryNow)
	defer cancel()
	for _, one := range s.pending() {
		if one.Size > mostNow {
			continue
		}
		read := summarize(soon, one.Record)
		if soon.Err() != nil {
			break // the rest is read while nobody waits
		}
		*one = read
	}
	for _, one := range s.all {
		if list = append(list, *one); !one.read {
			unread++
		}
		if one.problem != "" && len(problems) < mostProblems {
			problems = append(problems, one.problem)
		}
	}
	return list, unread, append(problems, s.problems...)
}

// list looks at the folders. What has not changed is not read again.
func (s *shelf) list(ctx context.Context, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	records, problems := transcript.List(ctx, s.getenv, transcript.Agents(), now.Add(-maxAge))
	if ctx.Err() != nil && len(records) == 0 {
		return
	}
	before := s.all
	s.looked, s.all, s.problems = now, map[string]*summary{}, nil
	for _, err := range problems {
		if !errors.Is(err, context.Canceled) && len(s.problems) < mostProblems {
			s.problems = append(s.problems, err.Error())
		}
	}
	for _, r := range records[:min(len(records), mostHeld)] {
		key := keyOf(&r)
		if one := before[key]; one != nil && one.Changed.Equal(r.Changed) && one.Size == r.Size {
			s.all[key] = one
			continue
		}
		s.all[key] = &summary{Record: r, id: idOf(&r), folder: r.Dir, last: r.Changed}
	}
}

// pending are the transcripts that are not read yet, the latest first.
func (s *shelf) pending() (list []*summary) {
	for _, one := range s.all {
		if !one.read {
			list = append(list, one)
		}
	}
	sortBy(list, func(a, b *summary) int { return b.Changed.Compare(a.Changed) })
	return list
}

// goOn reads those that are not read yet, until the context ends.
func (s *shelf) goOn(ctx context.Context) {
	s.mu.Lock()
	list := s.pending()
	s.mu.Unlock()
	for _, one := range list {
		read := summarize(ctx, one.Record) // nobody waits for it
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		*one = read
		s.mu.Unlock()
	}
}

// idOf is the session that a transcript's name tells of.
func idOf(r *transcript.Record) string {
	if r.Session != "" {
		return r.Session
	}
	name := strings.TrimSuffix(filepath.Base(r.Path), filepath.Ext(r.Path))
	group := r.Group[strings.LastIndexByte(r.Group, '/')+1:]
	switch r.Agent {
	case "codex":
		if len(name) > 36 {
			return name[len(name)-36:]
		}
	case "gemini", "copilot":
		return group
	}
	return cmp.Or(group, name)
}

// summarize reads a transcript.
func summarize(ctx context.Context, r transcript.Record) summary {
	s := summary{Record: r, folder: r.Dir, read: true}
	err := entries(ctx, r, func(e *transcript.Entry) bool {
		s.id, s.folder, s.model = cmp.Or(s.id, e.Session), cmp.Or(s.folder, e.Dir), cmp.Or(e.Model, s.model)
		if !e.Time.IsZero() {
			if s.first.IsZero() || e.Time.Before(s.first) {
				s.first = e.Time
			}
			if e.Time.After(s.last) {
				s.last = e.Time
			}
		}
		switch e.Kind {
		case transcript.User:
			if s.title == "" && !e.Hidden {
				s.title = clipped(e.Text, 4*mostTitle)
			}
		case transcript.Call:
			s.calls++
		case transcript.Usage:
			s.tokens.Input += e.Tokens.Input + e.Tokens.Cached
			s.tokens.Output += e.Tokens.Output
		}
		return true
	})
	if err != nil && ctx.Err() == nil {
		s.problem = err.Error()
	}
	if s.last.IsZero() {
		s.last = r.Changed
	}
	if r.Agent != "codex" || s.id == "" || r.Sub { // a sub-agent of Codex names its session
		s.id = cmp.Or(idOf(&r), s.id)
	}
	return s
}

// entries gives what a transcript has, as far as its bounds reach, while more is wanted.
func entries(ctx context.Context, r transcript.Record, visit func(*transcript.Entry) (more bool)) error {
	t, err := transcript.OpenWhole(r.Source, modest, func(error) {}) // a torn line is one of a running agent, as a rule
	if err != nil {
		return err
	}
	defer t.Close()
	for more := true; more; {
		var list []transcript.Entry
		if list, more, err = t.Next(ctx); err != nil {
			return fmt.Errorf("%s: %w", r.Path, err)
		}
		for i := range list {
			if !visit(&list[i]) {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.Bytes() > mostRead {
			return fmt.Errorf("%s: only its first %d MiB are read", r.Path, mostRead>>20)
		}
	}
	return nil
}

// clipped is the beginning of a text, with some more than is told: what looks like a
// secret is taken out later.
func clipped(text string, most int) string { return strings.Clone(visible.ClipBytes(text, most)) }
