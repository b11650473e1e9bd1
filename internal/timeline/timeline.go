package timeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/visible"
)

// Records is what is on record.
type Records interface {
	// Sessions gives the sessions that are on record; behind is how many records were not
	// looked at yet.
	Sessions(ctx context.Context) (list []Recorded, behind int64, err error)

	// Records gives the records that are wanted, oldest first.
	Records(ctx context.Context, f audit.Filter) iter.Seq2[*audit.Record, error]
}

// Recorded is a session that is on record.
type Recorded struct {
	ID, Agent, Folder           string
	First, Last                 time.Time
	Events, Calls, Blocks, Asks int64
	Would                       int64

	Prompt func(context.Context) string // the first one
}

// Options say what a Timeline reads.
type Options struct {
	Records Records
	Getenv  func(string) string // where transcripts are

	// Hide gives what takes secrets out of what happened in a folder.
	Hide func(folder string) *audit.Hider

	Log *slog.Logger
}

// Timeline tells of sessions. It may be used by several goroutines at once.
type Timeline struct {
	Options
	shelf shelf
	life  context.Context
	end   context.CancelFunc
	all   sync.WaitGroup

	mu      sync.Mutex
	reading bool
	built   []*built // the last ones, the latest last
	idle    *time.Timer
}

// New gives a timeline. Nothing is read before something is asked. Close ends what goes on.
func New(o Options) *Timeline {
	t := &Timeline{Options: o, shelf: shelf{getenv: o.Getenv}}
	t.life, t.end = context.WithCancel(context.Background())
	return t
}

// Close ends what goes on beside the answers.
func (t *Timeline) Close() {
	t.mu.Lock()
	t.reading = true // nothing begins any more
	if t.idle != nil {
		t.idle.Stop()
	}
	t.mu.Unlock()
	t.end()
	t.all.Wait()
}

// ErrNone is of a session that nobody knows.
var ErrNone = errors.New("there is no such session")

// ErrQuery is of a query that cannot be answered.
var ErrQuery = errors.New("the query is not as it must be")

// ErrOther is of a page after one whose end the session does not have any more.
var ErrOther = errors.New("the session is not what it was for the page before; begin with the first page again")

const mostProblems = 20

// one is a session with where it is known from.
type one struct {
	Session
	record      *Recorded
	transcripts []summary // of it and its sub-agents
}

// known gives all sessions, by agent and id.
func (t *Timeline) known(ctx context.Context) (all map[[2]string]*one, behind int64, problems []string, err error) {
	recorded, behind, err := t.Records.Sessions(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, 0, nil, err
	}
	if err != nil {
		problems = append(problems, "the sessions of the record cannot be told: "+err.Error())
	}
	all = map[[2]string]*one{}
	for i := range recorded {
		r := &recorded[i]
		all[[2]string{r.Agent, r.ID}] = &one{record: r, Session: Session{
			ID: r.ID, Agent: r.Agent, Folder: r.Folder, First: r.First, Last: r.Last, Events: r.Events, Calls: r.Calls, Blocks: r.Blocks, Asks: r.Asks, Would: r.Would, From: []string{"record"},
		}}
	}
	list, unread, more := t.shelf.look(ctx, time.Now())
	groups := map[string]string{} // the session of a group
	for i := range list {
		if !list[i].Sub {
			groups[list[i].Group] = list[i].id
		}
	}
	for i := range list {
		s := &list[i]
		id := cmp.Or(groups[s.Group], s.id)
		key := [2]string{s.Agent, id}
		if all[key] == nil {
			all[key] = &one{Session: Session{ID: id, Agent: s.Agent, First: s.first, Last: s.last}}
		}
		all[key].take(s)
	}
	if unread > 0 {
		t.goOn()
	}
	return all, behind + unread, append(problems, more...), nil
}

// take adds what a transcript says.
func (o *one) take(s *summary) {
	if !slices.Contains(o.From, "transcript") {
		o.From = append(o.From, "transcript")
	}
	o.transcripts = append(o.transcripts, *s)
	if !s.first.IsZero() && (o.First.IsZero() || s.first.Before(o.First)) {
		o.First = s.first
	}
	if s.last.After(o.Last) {
		o.Last = s.last
	}
	o.Tokens.Input, o.Tokens.Output = o.Tokens.Input+s.tokens.Input, o.Tokens.Output+s.tokens.Output
	if o.record == nil {
		o.Calls += s.calls
	}
	if !s.Sub {
		o.Folder, o.Title, o.Model = cmp.Or(o.Folder, s.folder), s.title, cmp.Or(s.model, o.Model)
	}
}

// goOn reads the other transcripts beside the answers.
func (t *Timeline) goOn() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading {
		return
	}
	t.reading = true
	t.all.Go(func() {
		t.shelf.goOn(t.life)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.reading = t.life.Err() != nil
	})
}

// List gives a page of sessions.
func (t *Timeline) List(ctx context.Context, q Query) (*List, error) {
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	if q.Limit < 1 || q.Limit > MostSessions {
		return nil, fmt.Errorf("%w: limit is %d; it is from 1 to %d", ErrQuery, q.Limit, MostSessions)
	}
	after, err := parseAfter(q.After)
	if err != nil {
		return nil, err
	}
	all, behind, problems, err := t.known(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]*one, 0, len(all))
	for _, o := range all {
		if q.wants(o) {
			list = append(list, o)
		}
	}
	sortBy(list, func(a, b *one) int { return rankOf(&a.Session).before(rankOf(&b.Session)) })
	out := &List{Sessions: []Session{}, Behind: behind, Problems: append([]string{}, problems...)}
	for _, o := range list {
		if q.After != "" && rankOf(&o.Session).before(after) <= 0 {
			continue
		}
		t.name(ctx, o)
		if !q.says(o) {
			continue
		}
		if len(out.Sessions) == q.Limit {
			out.Next = rankOf(&out.Sessions[q.Limit-1]).String()
			break
		}
		out.Sessions = append(out.Sessions, o.Session)
	}
	return out, nil
}

func (q *Query) wants(o *one) bool {
	if q.Agent != "" && o.Agent != q.Agent || !q.Since.IsZero() && o.Last.Before(q.Since) {
		return false
	}
	if q.Workspace != "" && !audit.Within(q.Workspace, o.Folder) {
		return false
	}
	return q.Folder == "" || audit.Within(q.Folder, o.Folder)
}

// says reports whether each word stands in what is told of a session.
func (q *Query) says(o *one) bool {
	text := strings.ToLower(strings.Join([]string{o.ID, o.Agent, o.Folder, o.Title, o.Model}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(q.Text)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// name gives a session its title, without secrets.
func (t *Timeline) name(ctx context.Context, o *one) {
	if o.Title == "" && o.record != nil {
		o.Title = o.record.Prompt(ctx)
	}
	o.Title = visible.Clip(t.Hide(o.Folder).Text("prompt", o.Title), mostTitle)
}

// ranked is where a session stands: the latest first.
type ranked struct {
	last  int64
	agent string
	id    string
}

func rankOf(s *Session) ranked  { return ranked{s.Last.UnixNano(), s.Agent, s.ID} }
func (r ranked) String() string { return fmt.Sprintf("%d/%s/%s", r.last, r.agent, r.id) }

func (r ranked) before(o ranked) int {
	return cmp.Or(cmp.Compare(o.last, r.last), cmp.Compare(r.agent, o.agent), cmp.Compare(r.id, o.id))
}

func parseAfter(text string) (r ranked, err error) {
	if text == "" {
		return r, nil
	}
	parts := strings.SplitN(text, "/", 3)
	if len(parts) == 3 {
		r.agent, r.id = parts[1], parts[2]
		r.last, err = strconv.ParseInt(parts[0], 10, 64)
	}
	if err != nil || len(parts) < 3 {
		return r, fmt.Errorf("%w: after is %q; give the next of the page before", ErrQuery, text)
	}
	return r, nil
}

func sortBy[T any](list []T, compare func(a, b T) int) { slices.SortFunc(list, compare) }
