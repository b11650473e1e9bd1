package relay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
)

// two gives the stores of two machines, with Alice on m1 and Bob on m2, that know
// each other.
func two(t *testing.T, o relay.Options) (m1, m2 *relay.Store) {
	t.Helper()
	o.Machine = "m1"
	m1 = open(t, "", o)
	o.Machine = "m2"
	m2 = open(t, "", o)
	join(t, m1, "Alice")
	join(t, m2, "Bob")
	meet(t, m1, m2)
	return m1, m2
}

// meet lets machines know each other.
func meet(t *testing.T, stores ...*relay.Store) {
	t.Helper()
	for _, from := range stores {
		d, err := from.Directory(t.Context())
		must(t, err)
		for _, to := range stores {
			if to != from {
				must(t, to.Learn(t.Context(), from.Machine(), d))
			}
		}
	}
}

func TestFromOneMachineToAnother(t *testing.T) {
	m1, m2 := two(t, relay.Options{})
	m := send(t, m1, relay.Message{From: "Alice", To: "bob@M2", Content: "hello"})
	if m.Message.To != "Bob@m2" || len(m.Receipts) != 1 {
		t.Errorf(`got %+v, want m.Message.To == "Bob@m2" and len(m.Receipts) == 1`, m)
	} else if m.Receipts[0].To != "Bob@m2" || m.Receipts[0].Reason != "on its way to m2" {
		t.Errorf(`got %+v, want m.Receipts[0].To == "Bob@m2" and m.Receipts[0].Reason == "on its way to m2"`, m)
	}
	carry(t, m1, m2)
	if got := states(t, m1, m.Message.ID); got != "Bob@m2 accepted" {
		t.Errorf(`got %v, want "Bob@m2 accepted"`, got)
	}
	for _, s := range []*relay.Store{m1, m2} {
		if out, err := s.Outgoing(t.Context(), 10); err != nil || len(out) != 0 {
			t.Errorf("the outbox of %s has %v, %v", s.Machine(), out, err)
		}
	}
}

func TestReceiptsComeBack(t *testing.T) {
	m1 := open(t, "", relay.Options{Machine: "m1"})
	m2 := open(t, "", relay.Options{Machine: "m2"})
	alice, bob := join(t, m1, "Alice"), join(t, m2, "Bob")
	meet(t, m1, m2)
	id := say(t, m1, "Alice", "Bob", "hello") // there is only one Bob
	carry(t, m1, m2)
	got := take(t, bob)
	if len(got) != 1 {
		t.Fatalf("taken: %+v", got)
	} else if got, want := fmt.Sprint([]any{got[0].Message.From, got[0].Message.Machine, got[0].Message.To}), fmt.Sprint([]any{"Alice", "m1", "Bob@m2"}); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	must(t, bob.Begin(t.Context(), id, "hello", "hook"))
	must(t, bob.Done(t.Context(), id, false))
	carry(t, m1, m2)
	if got := states(t, m1, id); got != "Bob@m2 injected" {
		t.Errorf(`got %v, want "Bob@m2 injected"`, got)
	}
	must(t, bob.Seen(t.Context()))
	carry(t, m1, m2)
	if got := states(t, m1, id); got != "Bob@m2 seen" {
		t.Errorf(`got %v, want "Bob@m2 seen"`, got)
	}
	answer := send(t, m2, relay.Message{From: "Bob", Session: "s-Bob", To: "Alice@m1", Content: "hello too"}).Message
	if answer.ReplyTo != id {
		t.Errorf("it answers %q", answer.ReplyTo)
	}
	carry(t, m1, m2)
	if got := states(t, m1, id); got != "Bob@m2 replied" {
		t.Errorf(`got %v, want "Bob@m2 replied"`, got)
	}
	_, receipts, err := m1.Receipts(t.Context(), id)
	if r := receipts[0]; err != nil {
		t.Errorf("%+v, %v", r, err)
	} else if got, want := fmt.Sprint([]any{r.Session, r.How, r.Reply}), fmt.Sprint([]any{"s-Bob", "hook", answer.ID}); got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if r.Injected.IsZero() || r.Seen.IsZero() || r.Replied.IsZero() {
		t.Errorf("got %+v, %v, want !r.Injected.IsZero() and !r.Seen.IsZero() and !r.Replied.IsZero()", r, err)
	}
	if got := inject(t, alice); got != "hello too" {
		t.Errorf("Alice got %q", got)
	}
	back := send(t, m1, relay.Message{From: "Alice", ReplyTo: relay.Short(answer.ID), Content: "bye"}).Message
	if back.To != "Bob@m2" || back.Thread != id {
		t.Errorf(`got %+v, want back.To == "Bob@m2" and back.Thread == id`, back)
	}
}

func TestWhoIsNotThere(t *testing.T) {
	m1, m2 := two(t, relay.Options{})
	_, err := m1.Send(t.Context(), relay.Message{From: "Alice", To: "Bbo@m2", Content: "x"})
	var unknown *relay.UnknownError
	if !errors.As(err, &unknown) || unknown.Kind != "agent" {
		t.Errorf("an unknown name there: %v", err)
	} else if len(unknown.Near) != 1 || unknown.Near[0] != "Bob@m2" {
		t.Errorf("an unknown name there: %v", err)
	}
	if _, err = m1.Send(t.Context(), relay.Message{From: "Alice", To: "Bbo", Content: "x"}); !errors.As(err, &unknown) || unknown.Near[0] != "Bob@m2" {
		t.Errorf("an unknown name: %v", err)
	}
	m3 := open(t, "", relay.Options{Machine: "m3"})
	join(t, m3, "Bob")
	meet(t, m1, m2, m3)
	_, err = m1.Send(t.Context(), relay.Message{From: "Alice", To: "bob", Content: "x"})
	var ambiguous *relay.AmbiguousError
	if !errors.As(err, &ambiguous) || strings.Join(ambiguous.All, " ") != "bob@m2 bob@m3" {
		t.Errorf("two Bobs: %v", err)
	}
	nothingStored(t, m1, "Alice")
	say(t, m1, "Alice", "Bob@m3", "x")
}

func TestAMachineThatIsDownGetsItLater(t *testing.T) {
	m1, m2 := two(t, relay.Options{})
	now := time.Now().Add(time.Hour)
	m1.SetNow(func() time.Time { return now })
	id := say(t, m1, "Alice", "Bob@m2", "for later")
	carry(t, m1) // m2 is not there
	if got := states(t, m1, id); !strings.HasPrefix(got, "Bob@m2 accepted (queued here: m2 was last heard of 20") {
		t.Errorf(`got %v, want strings.HasPrefix(got, "Bob@m2 accepted (queued here: m2 was last heard of 20")`, got)
	}
	if out, err := m1.Outgoing(t.Context(), 10); err != nil || len(out) != 0 {
		t.Errorf("it is published already, and again: %v, %v", out, err)
	}
	// The stream is lost before m2 has come.
	must(t, m1.Republish(t.Context(), "m2"))
	carry(t, m1, m2)
	if got := states(t, m1, id); got != "Bob@m2 accepted" {
		t.Errorf(`got %v, want "Bob@m2 accepted"`, got)
	}
	must(t, m1.Republish(t.Context(), "m2"))
	carry(t, m1, m2)
	if items, err := m2.Inbox(t.Context(), "Bob", relay.Query{}); err != nil || len(items) != 1 {
		t.Errorf("Bob has %v, %v", items, err)
	}
}

func TestAnotherMachineRefuses(t *testing.T) {
	m1, m2 := two(t, relay.Options{Limits: relay.Limits{Inbox: 2}})
	zoe := join(t, m1, "Zoe")
	for i := range 2 {
		say(t, m2, "Carol", "Bob", fmt.Sprint(i))
	}
	full := say(t, m1, "Zoe", "Bob@m2", "too much")
	carry(t, m1, m2)
	if got := states(t, m1, full); got != "Bob@m2 refused (its inbox is full: 2 messages wait)" {
		t.Errorf(`got %v, want "Bob@m2 refused (its inbox is full: 2 messages wait)"`, got)
	}
	if got := inject(t, zoe); !strings.Contains(got, "to Bob@m2 was not delivered: its inbox is full") {
		t.Errorf("Zoe is told %q", got)
	}
	must(t, m2.Exec("DELETE FROM seat")) // as if his session had ended
	must(t, m2.Forget(t.Context(), "Bob", true))
	gone := say(t, m1, "Zoe", "Bob@m2", "is he there?")
	carry(t, m1, m2)
	if got := states(t, m1, gone); !strings.HasPrefix(got, `Bob@m2 refused (there is no agent "Bob"`) {
		t.Errorf("got %v, want strings.HasPrefix(got, `Bob@m2 refused (there is no agent \"Bob\"`)", got)
	}
}

func TestAMachineWithOtherLimits(t *testing.T) {
	dir := t.TempDir()
	s, strict := open(t, dir, relay.Options{}), open(t, dir, relay.Options{Limits: relay.Limits{MaxContent: 4, Inbox: 1}})
	m2 := open(t, "", relay.Options{Machine: "m2", Limits: relay.Limits{MaxContent: 4}})
	bob := join(t, s, "Bob")
	join(t, m2, "Carol")
	meet(t, s, m2)
	say(t, s, "Alice", "Bob", "more than 4")
	say(t, s, "Alice", "Bob", "and another one")
	carry(t, strict) // of this machine: what was accepted comes
	if got := inject(t, bob); got != "more than 4 and another one" {
		t.Errorf("Bob got %q", got)
	}
	id := say(t, s, "Alice", "Carol@m2", "more than 4")
	carry(t, s, m2)
	if got := states(t, s, id); !strings.HasPrefix(got, "Carol@m2 refused (the text has 11 bytes, and may have 4 bytes") {
		t.Errorf(`got %v, want strings.HasPrefix(got, "Carol@m2 refused (the text has 11 bytes, and may have 4 bytes")`, got)
	}
}

func TestWhatHasNotGotThereCountsInTheBound(t *testing.T) {
	m1, _ := two(t, relay.Options{Limits: relay.Limits{Inbox: 2}})
	say(t, m1, "Alice", "Bob@m2", "1")
	say(t, m1, "Alice", "Bob@m2", "2")
	_, err := m1.Send(t.Context(), relay.Message{From: "Alice", To: "Bob@m2", Content: "3"})
	var full *relay.FullError
	if !errors.As(err, &full) || full.N != 2 {
		t.Errorf("got %v, want errors.As(err, &full) and full.N == 2", err)
	}
}

func TestEveryoneAndChannelsOfAllMachines(t *testing.T) {
	m1, m2 := two(t, relay.Options{})
	must(t, m2.Register(t.Context(), "Carol"))
	must(t, m1.Register(t.Context(), "Dave"))
	must(t, m2.JoinChannel(t.Context(), "build", "Carol"))
	meet(t, m1, m2)
	all := say(t, m1, "Alice", "*", "to all")
	build := say(t, m1, "Alice", "#build", "to build")
	if got := states(t, m1, build); got != "#build@m2 accepted (on its way to m2)" {
		t.Errorf(`got %v, want "#build@m2 accepted (on its way to m2)"`, got)
	}
	carry(t, m1, m2)
	if got := states(t, m1, all); !strings.HasPrefix(got, "Dave accepted (offline since") || !strings.Contains(got, "Bob@m2 accepted, Carol@m2 accepted (offline since") {
		t.Errorf(`got %v, want strings.HasPrefix(got, "Dave accepted (offline since") and strings.Contains(got, "Bob@m2 accepted, Carol@m2 accepted (offline since")`, got)
	}
	if got := states(t, m1, build); !strings.HasPrefix(got, "Carol@m2 accepted (offline since") {
		t.Errorf(`got %v, want strings.HasPrefix(got, "Carol@m2 accepted (offline since")`, got)
	}
	channels, err := m1.Channels(t.Context())
	if err != nil || len(channels) != 1 || channels[0].Members[0] != "*@m2" {
		t.Errorf(`got %v, %v, want err == nil and len(channels) == 1 and channels[0].Members[0] == "*@m2"`, channels, err)
	}
	agents, err := m1.Agents(t.Context())
	if err != nil || len(agents) != 4 || agents[2].Name != "Bob" {
		t.Errorf(`got %+v, %v, want err == nil and len(agents) == 4 and agents[2].Name == "Bob"`, agents, err)
	} else if agents[2].Machine != "m2" || !agents[2].Running || agents[3].Running {
		t.Errorf(`got %+v, %v, want agents[2].Machine == "m2" and agents[2].Running and !agents[3].Running`, agents, err)
	}
	if out, err := m1.Outgoing(t.Context(), 10); err != nil || len(out) != 0 {
		t.Errorf("the outbox has %v, %v", out, err)
	}
}

func TestAMachineThatDoesNotComeBack(t *testing.T) {
	m1, m2 := two(t, relay.Options{Limits: relay.Limits{Inbox: 2}})
	alice := join(t, m1, "Zoe")
	first := say(t, m1, "Zoe", "Bob@m2", "1")
	say(t, m1, "Alice", "*", "2")
	all := say(t, m1, "Alice", "*", "3")
	if got := states(t, m1, all); got != "Zoe accepted, *@m2 refused (m2 has not come for 2 messages)" {
		t.Errorf(`got %v, want "Zoe accepted, *@m2 refused (m2 has not come for 2 messages)"`, got)
	}
	var unknown *relay.UnknownError
	if err := m1.ForgetMachine(t.Context(), "m22", true); !errors.As(err, &unknown) || unknown.Near[0] != "m2" {
		t.Errorf(`got %v, want errors.As(err, &unknown) and unknown.Near[0] == "m2"`, err)
	}
	if err := m1.ForgetMachine(t.Context(), "m1", true); err == nil || !strings.Contains(err.Error(), "this machine") {
		t.Errorf("itself: %v", err)
	}
	if err := m1.ForgetMachine(t.Context(), "m2", false); err == nil || !strings.Contains(err.Error(), "has not reached the agents of m2 (2)") {
		t.Errorf("what waits: %v", err)
	}
	if got := inject(t, alice); got != "2 3" {
		t.Errorf("Zoe got %q", got)
	}
	must(t, m1.ForgetMachine(t.Context(), "M2", true))
	if got := states(t, m1, first); got != "Bob@m2 refused (the machine was forgotten)" {
		t.Errorf(`got %v, want "Bob@m2 refused (the machine was forgotten)"`, got)
	}
	carry(t, m1)
	if got := inject(t, alice); !strings.Contains(got, "the machine was forgotten") {
		t.Errorf("Zoe is told %q", got)
	}
	if out, err := m1.Outgoing(t.Context(), 10); err != nil || len(out) != 0 {
		t.Errorf("the outbox has %v, %v", out, err)
	}
	if _, err := m1.Send(t.Context(), relay.Message{From: "Zoe", To: "Bob@m2", Content: "x"}); !errors.As(err, &unknown) || unknown.Kind != "machine" {
		t.Errorf(`got %v, want errors.As(err, &unknown) and unknown.Kind == "machine"`, err)
	}
	meet(t, m1, m2)
	say(t, m1, "Zoe", "Bob@m2", "welcome back")
}

func TestPingPongIsHeldBetweenMachines(t *testing.T) {
	m1, m2 := two(t, relay.Options{Limits: relay.Limits{PingPong: 4}})
	for i := range 2 {
		if got := limit(t, m1, relay.Message{From: "Alice", To: "Bob@m2", Content: fmt.Sprint(i), Agent: true}); got != "" {
			t.Fatalf(`got %v, want ""`, got)
		}
		carry(t, m1, m2)
		if got := limit(t, m2, relay.Message{From: "Bob", To: "Alice@m1", Content: fmt.Sprint(i), Agent: true}); got != "" {
			t.Fatalf(`got %v, want ""`, got)
		}
		carry(t, m1, m2)
	}
	if got := limit(t, m1, relay.Message{From: "Alice", To: "Bob@m2", Content: "again", Agent: true}); got != "ping_pong" {
		t.Errorf(`got %q, want "ping_pong"`, got)
	}
}

func TestAStreamIsTakenInOnce(t *testing.T) {
	s, far := two(t, relay.Options{})
	bob := join(t, far, "Bob")
	var data [][]byte
	for i := range 3 {
		say(t, s, "Alice", "Bob@m2", fmt.Sprint(i))
	}
	envelopes, err := s.Outgoing(t.Context(), 10)
	must(t, err)
	for _, p := range envelopes {
		data = append(data, p.Data)
	}
	old := relay.Source{Stream: "in", Created: begun}
	in := func(from relay.Source, last uint64, data [][]byte, offset uint64) {
		t.Helper()
		must(t, far.Ingest(t.Context(), from, last, data))
		if last, err := far.Offset(t.Context(), from); err != nil || last != offset {
			t.Errorf("the offset is %d, %v", last, err)
		}
	}
	in(old, 2, data[:2], 2)
	in(old, 2, data[:2], 2)
	in(old, 1, data[:1], 2) // by another process, which is late
	// The stream is made anew: it begins at the beginning.
	anew := relay.Source{Stream: "in", Created: begun.Add(time.Minute)}
	if last, err := far.Offset(t.Context(), anew); err != nil || last != 0 {
		t.Errorf("the offset is %d, %v", last, err)
	}
	in(anew, 1, data[:1], 1)
	in(anew, 2, data[2:], 2)
	if got := inject(t, bob); got != "0 1 2" {
		t.Errorf("Bob got %q", got)
	}
}

func TestAMessageIsNotBelievedToBeAnother(t *testing.T) {
	var logged []string
	s := open(t, "", relay.Options{Machine: "m9", Log: logline.New(func(text string) { logged = append(logged, text) })})
	consumer := join(t, s, "Bob")
	id := say(t, s, "Carol", "Bob", "of m9")
	data := fmt.Sprintf(`{"v":1,"machine":"m1","agent":"Bob","message":{"id":%q,"from":"Carol","to":"Bob","content":"forged"}}`, id)
	ingest(t, s, relay.Envelope{Data: []byte(data)})
	ingest(t, s, relay.Envelope{Data: []byte(`{"v":1,"machine":"m1","receipts":[{"message":"` + id + `","to":"Bob","state":"replied"}]}`)})
	ingest(t, s, relay.Envelope{Data: []byte(`nothing`)})
	if got := inject(t, consumer); got != "of m9" {
		t.Errorf("Bob got %q", got)
	}
	if len(logged) != 2 || !strings.Contains(logged[0], "has the id of another one") || !strings.Contains(logged[1], "means nothing") {
		t.Errorf("logged: %q", logged)
	}
	if got := states(t, s, id); !strings.Contains(got, "Bob injected") {
		t.Errorf(`got %v, want strings.Contains(got, "Bob injected")`, got)
	}
}

func TestWhoSendsAMessageIsNotBelieved(t *testing.T) {
	var logged []string
	s := open(t, "", relay.Options{Machine: "m9", Log: logline.New(func(text string) { logged = append(logged, text) })})
	consumer := join(t, s, "Bob")
	says := func(machine, id string) []byte {
		return fmt.Appendf(nil, `{"v":1,"machine":%q,"agent":"Bob","message":{"id":%q,"from":"user","to":"Bob","content":"of %s"}}`, machine, id, machine)
	}
	from := func(name string) func(int) string { return func(int) string { return name } }
	for i, c := range []struct {
		source relay.Source
		data   []byte
	}{
		{relay.Source{}, says("m9", "forged-by-nobody")},
		{relay.Source{From: from("m9")}, says("m9", "forged-by-m9-itself")},
		{relay.Source{From: from("m1")}, says("m9", "forged-by-m1")},
		{relay.Source{From: from("m1")}, says("m2", "forged-for-m2")},
	} {
		c.source.Stream, c.source.Created = "in", begun
		if err := s.Ingest(t.Context(), c.source, uint64(i+1), [][]byte{c.data}); err != nil || len(logged) != i+1 {
			t.Errorf("%d: %v, logged %q", i, err, logged)
		}
	}
	if got := inject(t, consumer); got != "" {
		t.Errorf("Bob got %q", got)
	}
	must(t, s.Ingest(t.Context(), relay.Source{Stream: "in", Created: begun, From: from("m1")}, 10, [][]byte{says("m1", "of-m1-itself")}))
	if got := inject(t, consumer); got != "of m1" {
		t.Errorf("Bob got %q", got)
	}
}

func TestDirectoriesOfOthers(t *testing.T) {
	s := open(t, "", relay.Options{})
	for _, c := range []struct{ data, want string }{
		{"", "means nothing"},
		{`{"v":2}`, "form 2"},
		{`{"v":1,"agents":3}`, "means nothing"},
		{strings.Repeat(" ", 17<<20), "16 MiB"},
		{`{"v":1,"agents":[{"n":"a b"}]}`, ""},
		{`{"v":1,"agents":[{"n":"B\u00f6b"},{"n":"bo\u0308B"},{"n":"x","o":-3}],"channels":["#"]}`, ""},
	} {
		err := s.Learn(t.Context(), "m2", []byte(c.data))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v", c.data, err)
		}
	}
	agents, err := s.Agents(t.Context())
	if err != nil || len(agents) != 1 || agents[0].Name != "Böb" {
		t.Errorf(`got %v, %v, want err == nil and len(agents) == 1 and agents[0].Name == "Böb"`, agents, err)
	}
	if err := s.Learn(t.Context(), "m1", []byte(`{"v":1}`)); err == nil || !strings.Contains(err.Error(), "another name") {
		t.Errorf("a second m1: %v", err)
	}
	if err := s.Learn(t.Context(), "M 2", []byte(`{"v":1}`)); err == nil {
		t.Error("a machine with a space")
	}
}

func TestNamesOfMachines(t *testing.T) {
	for in, want := range map[string]string{
		"laptop": "laptop", "Bob's MacBook.local": "bob-s-macbook", "": "here", "...": "here", "größe": "gr-e", "a_b-C": "a_b-c",
		strings.Repeat("x", 100): strings.Repeat("x", 32),
	} {
		if got := relay.CleanMachine(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
	dir := t.TempDir()
	if _, err := relay.Open(t.Context(), dir, relay.Options{Machine: "my laptop"}); err == nil || !strings.Contains(err.Error(), "my-laptop") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "my-laptop")`, err)
	}
	first, err := relay.Open(t.Context(), dir, relay.Options{})
	must(t, err)
	must(t, first.Close())
	second := open(t, dir, relay.Options{Machine: "Office"})
	third, err := relay.Open(t.Context(), dir, relay.Options{})
	must(t, err)
	if second.Machine() != "office" || third.Machine() != "office" {
		t.Errorf("%q, %q: a name stays", second.Machine(), third.Machine())
	}
	must(t, third.Close())
}

func TestAMachineMayGetAnotherName(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{Machine: "old"})
	join(t, s, "Bob")
	id := say(t, s, "Alice", "Bob", "a")
	must(t, s.Close())
	s = open(t, dir, relay.Options{Machine: "new"})
	if got := inject(t, join(t, s, "Bob")); got != "a" {
		t.Errorf("Bob got %q", got)
	}
	if got := states(t, s, id); got != "Bob injected" {
		t.Errorf(`got %v, want "Bob injected"`, got)
	}
}
