package relay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// nothingStored fails if a message was kept, or is on its way.
func nothingStored(t *testing.T, s *relay.Store, from string) {
	t.Helper()
	if all, err := s.SentBy(t.Context(), from, 10); err != nil || len(all) != 0 {
		t.Errorf("there are messages: %v, %v", all, err)
	}
	if out, err := s.Outgoing(t.Context(), 10); err != nil || len(out) != 0 {
		t.Errorf("the outbox has %d, %v", len(out), err)
	}
}

func TestWhatIsNotSent(t *testing.T) {
	big := strings.Repeat("x", 10<<20)
	for name, c := range map[string]struct {
		m    relay.Message
		want []string
	}{
		"an unknown name":           {relay.Message{From: "Alice", To: "Bbo", Content: "x"}, []string{`no agent "Bbo"`, "did you mean Bob"}},
		"the beginning of a name":   {relay.Message{From: "Alice", To: "Car", Content: "x"}, []string{"did you mean Carol or Caroline"}},
		"nobody like that":          {relay.Message{From: "Alice", To: "Zacharias", Content: "x"}, []string{"hookway agents"}},
		"a name that cannot be one": {relay.Message{From: "Alice", To: "B ob", Content: "x"}, []string{"no agent", "did you mean Bob"}},
		"an unknown channel":        {relay.Message{From: "Alice", To: "#bild", Content: "x"}, []string{`no channel "bild"`, "did you mean build"}},
		"a channel of the sender":   {relay.Message{From: "Alice", To: "#own", Content: "x"}, []string{"no other agent"}},
		"an unknown machine":        {relay.Message{From: "Alice", To: "Bob@m11", Content: "x"}, []string{`no machine "m11"`, "did you mean m1"}},
		"nobody on this machine":    {relay.Message{From: "Alice", To: "Bbo@m1", Content: "x"}, []string{`no agent "Bbo@m1"`, "did you mean Bob"}},
		"no receiver":               {relay.Message{From: "Alice", Content: "x"}, []string{"no receiver", "name an agent"}},
		"no sender":                 {relay.Message{To: "Bob", Content: "x"}, []string{"the sender"}},
		"a bad sender":              {relay.Message{From: "A@b", To: "Bob", Content: "x"}, []string{"the sender", "@ has a meaning"}},
		"no text":                   {relay.Message{From: "Alice", To: "Bob", Content: " \x1b[2J\n"}, []string{"empty"}},
		"nothing to see":            {relay.Message{From: "Alice", To: "Bob", Content: "\u200b\u2060 \ufeff\u3164"}, []string{"empty"}},
		"a bad priority":            {relay.Message{From: "Alice", To: "Bob", Content: "x", Priority: "asap"}, []string{`no priority "asap"`, "urgent"}},
		"a bad id":                  {relay.Message{From: "Alice", To: "Bob", Content: "x", ID: "a b"}, []string{"id of a message"}},
		"an answer to nothing":      {relay.Message{From: "Alice", To: "Bob", Content: "x", ReplyTo: "00000000"}, []string{`no message "00000000"`}},
		"10 MiB":                    {relay.Message{From: "Alice", To: "Bob", Content: big}, []string{"10 MiB", "256 KiB", "attach"}},
		"metadata without end":      {relay.Message{From: "Alice", To: "Bob", Content: "x", Metadata: map[string]any{"a": big}}, []string{"10 MiB", "64 KiB"}},
		"metadata that is not JSON": {relay.Message{From: "Alice", To: "Bob", Content: "x", Metadata: map[string]any{"a": func() {}}}, []string{"metadata"}},
		"too many hops":             {relay.Message{From: "Alice", To: "Bob", Content: "x", Hops: 9}, []string{"passed the message on 9 times", "8"}},
		"a thread of two lines":     {relay.Message{From: "Alice", To: "Bob", Content: "x", Thread: "a\nb"}, []string{"a thread is one line"}},
		"too many attachments":      {relay.Message{From: "Alice", To: "Bob", Content: "x", Attachments: make([]relay.Attachment, 33)}, []string{"at most 32"}},
		"an attachment that draws":  {relay.Message{From: "Alice", To: "Bob", Content: "x", Attachments: []relay.Attachment{{Name: "a\x1b[2J"}}}, []string{"control characters"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "", relay.Options{})
			for _, agent := range []string{"Alice", "Bob", "Carol", "Caroline"} {
				must(t, s.Register(t.Context(), agent))
			}
			must(t, s.JoinChannel(t.Context(), "#build", "Bob"))
			must(t, s.JoinChannel(t.Context(), "own", "Alice"))
			sent, err := s.Send(t.Context(), c.m)
			if err == nil {
				t.Fatalf("it was sent: %+v", sent)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if len(err.Error()) > 400 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			nothingStored(t, s, "Alice")
		})
	}
}

func TestThreeNamesAtMostAreNear(t *testing.T) {
	s := open(t, "", relay.Options{})
	for i := range 6 {
		must(t, s.Register(t.Context(), fmt.Sprintf("tester-%d", i)))
	}
	_, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "tester-1x", Content: "x"})
	var unknown *relay.UnknownError
	if !errors.As(err, &unknown) || unknown.Kind != "agent" {
		t.Errorf(`got %v, want errors.As(err, &unknown) and unknown.Kind == "agent"`, err)
	} else if len(unknown.Near) != 3 || unknown.Near[0] != "tester-1" {
		t.Errorf(`got %v, want len(unknown.Near) == 3 and unknown.Near[0] == "tester-1"`, err)
	}
}

func TestAMessageIsCompleted(t *testing.T) {
	s := open(t, "", relay.Options{})
	must(t, s.Register(t.Context(), "Bob"))
	m := send(t, s, relay.Message{From: "Alice", To: " BOB ", Content: "a\x1b[31mred\x1b[0m\r\nline\x00"}).Message
	if got, want := fmt.Sprint([]any{m.To, m.Machine, m.Thread, m.Priority}), fmt.Sprint([]any{"Bob", "m1", m.ID, relay.PriorityNormal}); got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if m.Sent.IsZero() || m.Content != "ared\nline" {
		t.Errorf("got %+v, want !m.Sent.IsZero() and m.Content == \"ared\\nline\"", m)
	}
	if len(m.ID) != 26 || len(relay.Short(m.ID)) != 8 {
		t.Errorf("the id is %q", m.ID)
	}
}

func TestTheSameIdIsTheSameMessage(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	m := relay.Message{ID: "request-17", From: "Alice", To: "Bob", Content: "once"}
	first := send(t, s, m)
	m.To = " bOB" // who is Bob
	second := send(t, s, m)
	if second.Message.Content != "once" || len(second.Receipts) != 1 || first.Message.ID != second.Message.ID {
		t.Errorf(`got %+v, want second.Message.Content == "once" and len(second.Receipts) == 1 and first.Message.ID == second.Message.ID`, second)
	}
	if got := inject(t, bob); got != "once" {
		t.Errorf("Bob got %q", got)
	}
}

func TestTheIdOfAnotherMessageIsAnError(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	join(t, s, "Carol")
	m := relay.Message{ID: "request-17", From: "Alice", To: "Bob", Content: "once"}
	send(t, s, m)
	for _, other := range []relay.Message{{From: "Alice", To: "Bob", Content: "twice"}, {From: "Carol", To: "Bob", Content: "once"}, {From: "Alice", To: "Carol", Content: "once"}} {
		other.ID = m.ID
		var e *relay.IDError
		if _, err := s.Send(t.Context(), other); !errors.As(err, &e) || !relay.Refused(err) {
			t.Errorf("got %+v: %v, want errors.As(err, &e) and relay.Refused(err)", other, err)
		}
	}
	if got := inject(t, bob); got != "once" {
		t.Errorf("Bob got %q", got)
	}
}

func TestAnAgentThatIsNotThereGetsItsMessagesLater(t *testing.T) {
	s := open(t, "", relay.Options{})
	since := time.Date(2030, 5, 6, 7, 8, 0, 0, time.Local)
	s.SetNow(func() time.Time { return since })
	must(t, join(t, s, "Bob").Close())
	s.SetNow(func() time.Time { return since.Add(time.Hour) })
	id := say(t, s, "Alice", "Bob", "for later")
	for range 2 { // before it was carried, and after
		if got := states(t, s, id); got != "Bob accepted (offline since 2030-05-06 07:08)" {
			t.Errorf("the sender is told %q", got)
		}
	}
	if got := inject(t, join(t, s, "bob", "another-session")); got != "for later" {
		t.Errorf("Bob got %q", got)
	}
}

func TestAFullInboxRefuses(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{Inbox: 4}})
	bob := join(t, s, "Bob")
	say(t, s, "Alice", "Bob", "1")
	say(t, s, "Alice", "Bob", "2")
	say(t, s, "Carol", "Bob", "3") // these two are still in the outbox
	say(t, s, "Carol", "Bob", "4")
	_, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "5"})
	var full *relay.FullError
	if !errors.As(err, &full) || full.Agent != "Bob" {
		t.Fatalf(`got %v, want errors.As(err, &full) and full.Agent == "Bob"`, err)
	} else if full.N != 4 || !strings.Contains(err.Error(), "4 messages wait") {
		t.Fatalf(`got %v, want full.N == 4 and strings.Contains(err.Error(), "4 messages wait")`, err)
	}
	if got := inject(t, bob); got != "1 2 3 4" {
		t.Errorf("Bob got %q", got)
	}
	say(t, s, "Alice", "Bob", "5")
	if got := inject(t, bob); got != "5" {
		t.Errorf("Bob got %q", got)
	}
}

func TestEveryoneAndChannels(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{Inbox: 2}})
	alice, bob, carol := join(t, s, "Alice"), join(t, s, "Bob"), join(t, s, "Carol")
	must(t, s.JoinChannel(t.Context(), "Build", "Alice"))
	must(t, s.JoinChannel(t.Context(), "#build", "carol"))
	must(t, s.JoinChannel(t.Context(), "#build", "carol"))
	all := say(t, s, "Alice", "*", "to all")
	for range 2 { // before it was carried, and after
		if got := states(t, s, all); got != "Bob accepted, Carol accepted" {
			t.Errorf("to all: %s", got)
		}
	}
	if m := send(t, s, relay.Message{From: "Alice", To: "#BUILD", Content: "to build"}).Message; m.To != "#Build" {
		t.Errorf("the channel is %q", m.To)
	}
	third := say(t, s, "Bob", "*", "too much for Carol")
	for range 2 {
		if got := states(t, s, third); got != "Alice accepted, Carol refused (its inbox is full: 2 messages wait)" {
			t.Errorf("to a full one: %s", got)
		}
	}
	if a, b, c := inject(t, alice), inject(t, bob), inject(t, carol); a != "too much for Carol" || b != "to all" || c != "to all to build" {
		t.Errorf("Alice got %q, Bob %q, Carol %q", a, b, c)
	}
	channels, err := s.Channels(t.Context())
	if err != nil || len(channels) != 1 {
		t.Errorf("channels: %v, %v", channels, err)
	} else if channels[0].Name != "Build" || strings.Join(channels[0].Members, " ") != "Alice Carol" {
		t.Errorf("channels: %v, %v", channels, err)
	}
	must(t, s.LeaveChannel(t.Context(), "build", "Carol"))
	must(t, s.LeaveChannel(t.Context(), "build", "Carol"))
	if _, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "#build", Content: "x"}); !errors.Is(err, relay.ErrNobody) {
		t.Errorf("to nobody: %v", err)
	}
	must(t, s.LeaveChannel(t.Context(), "build", "Alice"))
	if channels, err = s.Channels(t.Context()); err != nil || len(channels) != 0 {
		t.Errorf("channels: %v, %v", channels, err)
	}
	var unknown *relay.UnknownError
	if err := s.JoinChannel(t.Context(), "build", "Bobb"); !errors.As(err, &unknown) || unknown.Near[0] != "Bob" {
		t.Errorf("an unknown member: %v", err)
	}
	if err := s.JoinChannel(t.Context(), "#a b", "Bob"); err == nil {
		t.Error("a channel with a space")
	}
}

func TestNobodyToGetIt(t *testing.T) {
	s := open(t, "", relay.Options{})
	must(t, s.Register(t.Context(), "Alice"))
	if _, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "*", Content: "x"}); !errors.Is(err, relay.ErrNobody) {
		t.Errorf("got %v, want errors.Is(err, relay.ErrNobody)", err)
	}
}

func TestASessionCanBeWrittenTo(t *testing.T) {
	s := open(t, "", relay.Options{})
	first, second := join(t, s, "Bob", "id-1"), join(t, s, "Bob", "id-2")
	say(t, s, "Alice", "id-2", "to the second")
	say(t, s, "Alice", "Bob", "to Bob")
	if a, b := inject(t, first), inject(t, second); a != "to Bob" || b != "to the second" {
		t.Errorf("the first got %q, the second %q", a, b)
	}
	say(t, s, "Alice", "id-2", "too late")
	if got := inject(t, first); got != "" {
		t.Errorf("the first got %q", got)
	}
	must(t, second.Close())
	if got := inject(t, first); got != "too late" {
		t.Errorf("what was for a session that has ended is for the agent, which got %q", got)
	}
	var unknown *relay.UnknownError
	if _, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "id-2", Content: "x"}); !errors.As(err, &unknown) {
		t.Errorf("to a session that has ended: %v", err)
	}
}

func TestAnswersAndThreads(t *testing.T) {
	s := open(t, "", relay.Options{})
	alice, bob := join(t, s, "Alice"), join(t, s, "Bob")
	first := say(t, s, "Alice", "Bob", "first")
	second := send(t, s, relay.Message{From: "Alice", To: "Bob", Content: "second", Thread: "build"}).Message.ID
	inject(t, bob)

	m := send(t, s, relay.Message{From: "Bob", Session: "s-Bob", To: "Alice", Content: "of the last one"}).Message
	if m.ReplyTo != second || m.Thread != "build" {
		t.Errorf("it answers %s in %s, not the last one", m.ReplyTo, m.Thread)
	}
	m = send(t, s, relay.Message{From: "Bob", To: "", ReplyTo: relay.Short(first), Content: "of the first"}).Message
	if m.ReplyTo != first || m.Thread != first || m.To != "Alice" {
		t.Errorf("an explicit answer: %+v", m)
	}
	if a, b := states(t, s, first), states(t, s, second); a != "Bob replied" || b != "Bob replied" {
		t.Errorf(`got %s, %s, want a == "Bob replied" and b == "Bob replied"`, a, b)
	}
	m = send(t, s, relay.Message{From: "Bob", Session: "s-Bob", To: "Alice", Content: "by itself"}).Message
	if m.ReplyTo != "" || m.Thread != m.ID {
		t.Errorf("all was answered: %+v", m)
	}
	inject(t, alice)
	m = send(t, s, relay.Message{From: "Alice", Session: "s-Alice", To: "Bob", Thread: "other", Content: "of another thread"}).Message
	if m.ReplyTo != "" || m.Thread != "other" {
		t.Errorf("another conversation: %+v", m)
	}
	items, err := s.Inbox(t.Context(), "alice", relay.Query{Thread: relay.Short(first)})
	if err != nil || len(items) != 1 || items[0].Message.Content != "of the first" {
		t.Errorf("the thread has %v, %v", items, err)
	}
}

func TestAnAnswerToWhatWasBegunIsNoDelivery(t *testing.T) {
	s := open(t, "", relay.Options{})
	join(t, s, "Alice")
	bob := join(t, s, "Bob")
	id := say(t, s, "Alice", "Bob", "question")
	take(t, bob)
	must(t, bob.Begin(t.Context(), id, "question", "typed"))
	// Bob says something that he had begun before: the question is not lost by that.
	if m := send(t, s, relay.Message{From: "Bob", Session: "s-Bob", To: "Alice", Content: "by the way"}).Message; m.ReplyTo != "" {
		t.Errorf("it answers %q", m.ReplyTo)
	}
	// But who names it has seen it.
	send(t, s, relay.Message{From: "Bob", Session: "s-Bob", ReplyTo: relay.Short(id), Content: "answer"})
	must(t, bob.Done(t.Context(), id, false))
	_, receipts, err := s.Receipts(t.Context(), id)
	if err != nil || receipts[0].State != relay.StateReplied || receipts[0].Injected.IsZero() {
		t.Errorf("got %+v, %v, want err == nil and receipts[0].State == relay.StateReplied and !receipts[0].Injected.IsZero()", receipts, err)
	}
}

func TestInbox(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	var ids []string
	for i := range 5 {
		ids = append(ids, say(t, s, "Alice", "Bob", fmt.Sprint(i)))
	}
	take(t, bob)
	must(t, bob.Begin(t.Context(), ids[0], "0", "hook"))
	must(t, bob.Done(t.Context(), ids[0], true))
	for name, c := range map[string]struct {
		q    relay.Query
		want string
	}{
		"all":            {relay.Query{}, "01234"},
		"the last two":   {relay.Query{Limit: 2}, "34"},
		"after one":      {relay.Query{After: relay.Short(ids[1])}, "234"},
		"next after one": {relay.Query{After: ids[1], Limit: 1}, "2"},
		"waiting":        {relay.Query{State: relay.StateAccepted}, "1234"},
		"injected":       {relay.Query{State: relay.StateInjected}, "0"},
		"no such thread": {relay.Query{Thread: "none"}, ""},
	} {
		items, err := s.Inbox(t.Context(), "BOB@m1", c.q)
		got := ""
		for _, item := range items {
			got += item.Message.Content
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	if items, _ := s.Inbox(t.Context(), "Bob", relay.Query{Limit: 5}); !items[0].Receipt.Repeat || items[0].Receipt.How != "hook" {
		t.Errorf("the receipt is %+v", items[0].Receipt)
	}
	if _, err := s.Inbox(t.Context(), "Bob", relay.Query{State: "read"}); err == nil || !strings.Contains(err.Error(), "seen") {
		t.Errorf("an unknown state: %v", err)
	}
	if known, err := s.Known(t.Context(), "BOB@m1"); err != nil || known.Waiting != 4 {
		t.Errorf("%d wait, %v", known.Waiting, err)
	}
	var unknown *relay.UnknownError
	if _, err := s.Inbox(t.Context(), "Bo", relay.Query{}); !errors.As(err, &unknown) || unknown.Near[0] != "Bob" {
		t.Errorf("an unknown agent: %v", err)
	}
	if _, _, err := s.Receipts(t.Context(), "nothing1"); !errors.As(err, &unknown) || unknown.Kind != "message" {
		t.Errorf("an unknown message: %v", err)
	}
	if sent, err := s.SentBy(t.Context(), "alice", 2); err != nil || len(sent) != 2 || sent[1].Content != "4" {
		t.Errorf("sent: %v, %v", sent, err)
	}
}

func TestTheLongestMessageFitsIntoAParcel(t *testing.T) {
	for _, char := range []string{"x", "<", "\"", "\n", "ü", "\\"} {
		s, far := two(t, relay.Options{})
		bob := join(t, far, "Bob")
		text := "x" + strings.Repeat(char, (256<<10-1)/len(char))
		say(t, s, "Alice", "Bob", text)
		envelopes, err := s.Outgoing(t.Context(), 1)
		if err != nil || len(envelopes) != 1 || len(envelopes[0].Data) > 1<<20 {
			t.Fatalf("%q: %d envelopes, %v", char, len(envelopes), err)
		}
		ingest(t, far, envelopes[0])
		if got := inject(t, bob); got != text {
			t.Errorf("%q: Bob got %d bytes", char, len(got))
		}
	}
}

// TestDeepMetadata: SQLite cannot look into JSON of more than 1000 levels, so such a
// message would keep its receiver from answering.
func TestDeepMetadata(t *testing.T) {
	s := open(t, "", relay.Options{})
	join(t, s, "Bob")
	nested := func(levels int) map[string]any {
		var deep any = `"[[` // which is no level
		for range levels {
			deep = []any{deep}
		}
		return map[string]any{"x": deep}
	}
	send(t, s, relay.Message{From: "Alice", To: "Bob", Content: "x", Metadata: nested(90)})
	if _, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: "x", Metadata: nested(1500)}); err == nil || !relay.Refused(err) {
		t.Errorf("1500 levels: %v", err)
	}
	if items, err := s.Inbox(t.Context(), "Bob", relay.Query{Thread: "build"}); err != nil || len(items) != 0 {
		t.Errorf("got %v, %v, want err == nil and len(items) == 0", items, err)
	}
}

// TestALongReasonOfAHookIsCut: it goes to the sender's machine, through servers that
// may take a mebibyte at most.
func TestALongReasonOfAHookIsCut(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	id := say(t, s, "Alice", "Bob", "x")
	take(t, bob)
	must(t, bob.Suppress(t.Context(), id, strings.Repeat("no ", 1<<19)))
	if _, receipts, err := s.Receipts(t.Context(), id); err != nil || len(receipts) != 1 {
		t.Errorf("%.2000v, %v", receipts, err)
	} else if len(receipts[0].Reason) > 1100 || !strings.HasPrefix(receipts[0].Reason, "no no") {
		t.Errorf("%.2000v, %v", receipts, err)
	}
}

// TestWhatManyGotIsRemovedInSteps: each is short, however many had a message.
func TestWhatManyGotIsRemovedInSteps(t *testing.T) {
	s := open(t, "", relay.Options{})
	must(t, s.Exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 19)
		INSERT INTO message (id, short, sender, machine, by_agent, kept, body) SELECT 'message-' || i, i, 'alice', '', 0, 1, '{}' FROM n`))
	must(t, s.Exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 499)
		INSERT INTO delivery (message, machine, agent, name, session, sender, origin, state, priority, arrival) SELECT id, '', 'agent-' || i, 'x', '', 'alice', '', 7, 1, 1 FROM n, message`))
	s.SetNow(func() time.Time { return time.Now().Add(2 * time.Hour) })
	source, left := relay.Source{Stream: "in", Created: begun}, 20
	for step := uint64(1); left > 0; step++ {
		if err := s.Ingest(t.Context(), source, step, nil); err != nil {
			t.Fatal(err)
		}
		sent, err := s.SentBy(t.Context(), "Alice", 100)
		must(t, err)
		if gone := left - len(sent); gone < 1 || gone > 4 {
			t.Fatalf("step %d removed %d messages of %d", step, gone, left)
		}
		left = len(sent)
	}
}
