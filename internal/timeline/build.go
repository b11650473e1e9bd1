package timeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/transcript"
)

// Bounds of what is built of a session.
const (
	mostBuilt   = 3       // sessions that are remembered
	mostAll     = 15_000  // items, of which each takes half a KiB; of all that are remembered, too
	mostText    = 8 << 10 // bytes of a text that is remembered: more than is told
	mostOutput  = 2560    // of what a call gave
	mostInput   = 8 << 10 // of a call's input
	mostBytes   = 6 << 20 // of all that; what comes then has no text
	rebuildPart = 5       // what was built is looked at again after so many times as long as it took
	buildTime   = 20 * time.Second
	idleTime    = 2 * time.Minute // after it, what was built is forgotten
)

// built is what happened in a session.
type built struct {
	key      [2]string
	stamp    string // of what it was built of
	at       time.Time
	took     time.Duration
	lanes    []Lane
	items    []Item
	counts   map[string]int64
	problems []string
}

// builder puts together what happened.
type builder struct {
	*built
	agent string
	calls map[string]int // where a call is in items
	main  bool           // there is a transcript of the session itself
	bytes int            // of texts and inputs
	full  bool
}

// One gives a page of what happened in a session. The agent may be empty if the id says
// enough.
func (t *Timeline) One(ctx context.Context, agent, id, after string, limit int) (*Page, error) {
	limit = cmp.Or(limit, DefaultLimit)
	if limit < 1 || limit > MostItems {
		return nil, fmt.Errorf("%w: limit is %d; it is from 1 to %d", ErrQuery, limit, MostItems)
	}
	from, last, err := parseNext(after)
	if err != nil {
		return nil, err
	}
	all, _, _, err := t.known(ctx)
	if err != nil {
		return nil, err
	}
	o := find(all, agent, id)
	if o == nil {
		return nil, fmt.Errorf("%w: %s", ErrNone, id)
	}
	b, err := t.buildOnce(ctx, o)
	if err != nil {
		return nil, err
	}
	t.name(ctx, o)
	page := &Page{Session: o.Session, Lanes: make([]Lane, len(b.lanes)), Items: []Item{}, Total: len(b.items), Counts: b.counts, Problems: append([]string{}, b.problems...)}
	hide := t.Hide(o.Folder)
	for i := range b.lanes {
		page.Lanes[i] = b.lanes[i].told(hide)
	}
	if from, err = b.after(from, last); err != nil {
		return nil, err
	}
	rest := b.items[from:]
	for _, item := range rest[:min(limit, len(rest))] {
		page.Items = append(page.Items, item.told(hide))
	}
	if limit < len(rest) {
		page.Next = fmt.Sprintf("%d-%s", from+limit, rest[limit-1].mark())
	}
	return page, nil
}

// parseNext reads the next of a page: how many items were on the pages up to it, and which
// one was the last.
func parseNext(text string) (n int, last string, err error) {
	if text == "" {
		return 0, "", nil
	}
	before, last, _ := strings.Cut(text, "-")
	if n, err = strconv.Atoi(before); err != nil || n < 0 {
		return 0, "", fmt.Errorf("%w: after is %q; give the next of the page before", ErrQuery, text)
	}
	return n, last, nil
}

// after is how many items come before the next page. Items may have come between those of
// the pages before; what they ended with tells where they did.
func (b *built) after(n int, last string) (int, error) {
	n = min(n, len(b.items))
	ends := func(i Item) bool { return i.mark() == last }
	if last == "" || n > 0 && ends(b.items[n-1]) {
		return n, nil
	}
	if at := slices.IndexFunc(b.items, ends); at >= 0 {
		return at + 1, nil
	}
	return 0, ErrOther
}

// mark tells items of a session apart in a few letters: their ids are as long as agents
// make them, and may be no more than a number.
func (i *Item) mark() string {
	h := fnv.New64a()
	fmt.Fprint(h, i.ID, " ", i.At.UnixNano())
	return strconv.FormatUint(h.Sum64(), 36)
}

// find finds a session; of several with the id that of the agent, or the latest.
func find(all map[[2]string]*one, agent, id string) (found *one) {
	for key, o := range all {
		if key[1] != id || agent != "" && key[0] != agent {
			continue
		}
		if found == nil || o.Last.After(found.Last) {
			found = o
		}
	}
	return found
}

// stampOf tells whether a session is as it was.
func stampOf(o *one) string {
	var text strings.Builder
	fmt.Fprint(&text, o.Events, o.Last.UnixNano())
	for _, s := range o.transcripts {
		fmt.Fprint(&text, " ", s.Path, s.Size, s.Changed.UnixNano())
	}
	return text.String()
}

// buildOnce builds a session if it is not as it was.
func (t *Timeline) buildOnce(ctx context.Context, o *one) (*built, error) {
	key, stamp := [2]string{o.Agent, o.ID}, stampOf(o)
	t.mu.Lock()
	i := slices.IndexFunc(t.built, func(b *built) bool { return b.key == key })
	if i >= 0 {
		b := t.built[i]
		t.built = append(slices.Delete(t.built, i, i+1), b)
		if b.stamp == stamp || time.Since(b.at) < rebuildPart*b.took {
			t.mu.Unlock()
			return b, nil
		}
	}
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	began := time.Now()
	b, err := t.build(ctx, o)
	if err != nil {
		return nil, err
	}
	b.key, b.stamp, b.at, b.took = key, stamp, time.Now(), time.Since(began)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.built = append(slices.DeleteFunc(t.built, func(other *built) bool { return other.key == key }), b)
	t.built = latest(t.built)
	if t.idle == nil {
		t.idle = time.AfterFunc(idleTime, t.forget)
	}
	t.idle.Reset(idleTime)
	return b, nil
}

// latest are those of the last sessions that may be remembered together.
func latest(all []*built) []*built {
	from, items := len(all), 0
	for from > 0 && len(all)-from < mostBuilt {
		if items += len(all[from-1].items); items > mostAll && from < len(all) {
			break
		}
		from--
	}
	return slices.Clone(all[from:])
}

// forget forgets what nobody has asked for in a while.
func (t *Timeline) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.built = nil
}

// build puts together what happened in a session.
func (t *Timeline) build(ctx context.Context, o *one) (*built, error) {
	b := &builder{built: &built{counts: map[string]int64{}}, agent: o.Agent, calls: map[string]int{}}
	b.lanes = []Lane{{ID: "main", Name: o.Agent, Agent: o.Agent}}
	slices.SortFunc(o.transcripts, func(x, y summary) int {
		if x.Sub != y.Sub {
			if x.Sub {
				return 1
			}
			return -1
		}
		return cmp.Compare(x.Path, y.Path)
	})
	for i := range o.transcripts {
		b.transcript(ctx, &o.transcripts[i])
	}
	if o.record != nil {
		for r, err := range t.Records.Records(ctx, audit.Filter{Session: o.ID, Agent: o.Agent}) {
			if damage := (*audit.Damage)(nil); errors.As(err, &damage) {
				continue
			}
			if err != nil {
				b.problem(err.Error())
				break
			}
			if r.Agent == o.Agent { // a filter for no agent is none
				b.record(r)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		b.problem(fmt.Sprintf("the session is too long to be read in %v: what is told of it has gaps", buildTime))
		if !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
	}
	slices.SortStableFunc(b.items, func(x, y Item) int { return x.At.Compare(y.At) })
	for i := range b.items {
		b.count(&b.items[i])
	}
	b.orderLanes()
	return b.built, nil
}

// orderLanes puts sub-agents in the order in which they began, each with what it was told.
func (b *builder) orderLanes() {
	began := map[string]int{}
	for i := range b.items {
		item := &b.items[i]
		if _, known := began[item.Lane]; known {
			continue
		}
		began[item.Lane] = i
		at := slices.IndexFunc(b.lanes, func(l Lane) bool { return l.ID == item.Lane })
		if at > 0 && (item.Kind == Prompt || item.Kind == Note) {
			b.lanes[at].task = item.Text
		}
	}
	slices.SortStableFunc(b.lanes[1:], func(x, y Lane) int { return cmp.Compare(began[x.ID], began[y.ID]) })
}

func (b *builder) problem(text string) {
	if len(b.problems) < mostProblems {
		b.problems = append(b.problems, text)
	}
}

func (b *builder) count(item *Item) {
	b.counts[item.Kind]++
	switch item.Action {
	case "block", "ask":
		b.counts[item.Action]++
	}
	if item.Would != "" {
		b.counts["would"]++
	}
	if item.Failed {
		b.counts["failed"]++
	}
}

// add adds an item; false if there are too many.
func (b *builder) add(item Item) bool {
	if len(b.items) >= mostAll {
		if !b.full {
			b.full = true
			b.problem(fmt.Sprintf("only the first %d of what happened are told", mostAll))
		}
		return false
	}
	b.items = append(b.items, item)
	return true
}

// held is a text, as far as there is room for it.
func (b *builder) held(text string, most int) string {
	if b.bytes > mostBytes {
		b.spare()
		return ""
	}
	text = clipped(text, most)
	b.bytes += len(text)
	return text
}

// spare says that texts are left out.
func (b *builder) spare() {
	const text = "the session is so long that the texts of its later part are left out"
	if !slices.Contains(b.problems, text) {
		b.problem(text)
	}
}

// transcript adds what a transcript has.
func (b *builder) transcript(ctx context.Context, s *summary) {
	lane := "main"
	if s.Sub {
		lane = strings.TrimSuffix(filepath.Base(s.Path), filepath.Ext(s.Path)) + s.Session
		b.lanes = append(b.lanes, Lane{ID: lane, Name: "sub-agent", Parent: "main", Agent: b.agent})
	} else {
		b.main = true
	}
	last, n := s.first, 0
	err := entries(ctx, s.Record, func(e *transcript.Entry) bool {
		n++
		in := lane
		if e.Sub && lane == "main" {
			in = "side"
			if !slices.ContainsFunc(b.lanes, func(l Lane) bool { return l.ID == in }) {
				b.lanes = append(b.lanes, Lane{ID: in, Name: "sub-agent", Parent: "main", Agent: b.agent})
			}
		}
		if e.Time.IsZero() {
			e.Time = last
		}
		last = e.Time
		b.entry(e, in, n)
		return !b.full
	})
	if err != nil && ctx.Err() == nil {
		b.problem(err.Error())
	}
}

// entry adds an entry of a transcript.
func (b *builder) entry(e *transcript.Entry, lane string, n int) {
	item := Item{ID: fmt.Sprintf("%s/%d", lane, n), At: e.Time, Lane: lane, Model: e.Model, secret: true}
	switch e.Kind {
	case transcript.User:
		item.Kind, item.Text = Prompt, b.held(e.Text, mostText)
		if e.Hidden {
			item.Kind = Note
		}
	case transcript.Agent:
		item.Kind, item.Text = Answer, b.held(e.Text, mostText)
	case transcript.Call:
		item.Kind, item.Tool, item.ID = Call, e.Tool, cmp.Or(e.ID, item.ID)
		if item.input = shortInput(e.Input, b.most()); item.input != nil {
			b.bytes += len(item.input)
		}
		if _, twice := b.calls[e.ID]; twice && e.ID != "" {
			return
		}
		b.calls[e.ID] = len(b.items)
	case transcript.Result:
		at, ok := b.calls[e.ID]
		if !ok || e.ID == "" || at >= len(b.items) {
			return
		}
		call := &b.items[at]
		call.Text, call.Failed = b.held(e.Text, mostOutput), e.Failed
		if call.End = e.Time; e.Time.After(call.At) && !call.At.IsZero() {
			call.DurationMS = float64(e.Time.Sub(call.At).Microseconds()) / 1e3
		}
		return
	case transcript.Usage:
		item.Kind, item.Tokens = Usage, Tokens{Input: e.Tokens.Input + e.Tokens.Cached, Output: e.Tokens.Output}
	default:
		return
	}
	b.add(item)
}

// most is how much of a call's input is remembered.
func (b *builder) most() int {
	if b.bytes > mostBytes {
		return mostInput / 16
	}
	return mostInput
}

// shortInput is a call's input, whose texts are cut if it is large.
func shortInput(input json.RawMessage, most int) []byte {
	if len(input) <= most {
		return slices.Clone(input)
	}
	var members map[string]any
	if json.Unmarshal(input, &members) != nil {
		return nil
	}
	for name, value := range members {
		switch v := value.(type) {
		case string:
			members[name] = clipped(v, most/8)
		case float64, bool:
		default:
			delete(members, name)
		}
	}
	text, err := json.Marshal(members)
	if err != nil || len(text) > 2*most {
		return nil
	}
	return text
}
