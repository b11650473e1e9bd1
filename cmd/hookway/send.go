package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// sending is one call of hookway send.
type sending struct {
	*app
	from, thread, reply, priority string
	meta, attach                  []string
	wait                          string
	timeout                       time.Duration
	problem                       string // why the message waits
}

func sendCommand(a *app) *cobra.Command {
	s := &sending{app: a}
	cmd := &cobra.Command{
		Use:   "send TO TEXT | -",
		Short: "Send a message to an agent, a channel, or with * to all",
		Long: `Send a message to an agent by its name, to one on another machine by Name@machine,
to a session by its id or how that begins, to those of a channel by '#channel', or
with '*' to all others. With - the text is what stands on stdin.

The message is kept on disk before this command ends. An agent that does not run
gets it when it comes back. A name that no agent has is an error with the nearest
names, and nothing is kept. Your hooks of MessageSending see the message first,
the receiver's of MessageReceived before it is shown.

What is printed is the message's id, and a line for each receiver. --wait waits
until all of them are so far: accepted, injected (it was put into the agent's
session), seen (the agent did something after that) or replied. hookway receipts
tells the same later. In an agent's session it is the agent's own message, and the
limits of agents hold.

Exit code: 0 if it is sent, 2 if a hook has suppressed it, otherwise 1.`,
		Example: "  hookway send Alice 'the build is green'\n  hookway send '*' 'we merge at five' --priority urgent\n" +
			"  hookway send Bob 'is this right?' --attach out.log --wait replied --timeout 10m",
		Args:              exactly("TO", "TEXT"),
		ValidArgsFunction: a.completeReceiver,
		RunE:              func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args[0], args[1]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&s.from, "from", "", "the `NAME` of the sender; without it, that of the agent in whose session this is called, or user")
	flags.StringArrayVar(&s.meta, "meta", nil, "tell hooks `KEY=VALUE` in the message's metadata; a value in JSON counts as such")
	flags.StringVar(&s.thread, "thread", "", "the `NAME` of what it is about, or the id of the message that began it")
	flags.StringVar(&s.reply, "reply-to", "", "the `ID` of the message that this answers")
	flags.StringVar(&s.priority, "priority", "", "the order of what waits, by `WORD`: low, normal, high or urgent")
	flags.StringArrayVar(&s.attach, "attach", nil, "refer to a `FILE`, which stays where it is; may be given several times")
	flags.StringVar(&s.wait, "wait", "", "wait until it is `STATE`: accepted, injected, seen or replied")
	flags.DurationVar(&s.timeout, "timeout", 0, "wait for this `TIME` at most; the message goes on (default 5m)")
	offer(cmd, "priority", priorities...)
	offer(cmd, "wait", waitStates...)
	err := cmd.RegisterFlagCompletionFunc("reply-to", func(cmd *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
		return a.completeMessage(cmd, nil, start)
	})
	if err != nil { // the flag is one of ours
		panic(err)
	}
	return cmd
}

// waitStates are what a sender may wait for, in their order.
var waitStates = []string{string(relay.StateAccepted), string(relay.StateInjected), string(relay.StateSeen), string(relay.StateReplied)}

var priorities = []string{string(relay.PriorityLow), string(relay.PriorityNormal), string(relay.PriorityHigh), string(relay.PriorityUrgent)}

// usualWait is how long --wait waits.
const usualWait = 5 * time.Minute

func (s *sending) run(ctx context.Context, to, text string) error {
	if err := s.check(); err != nil {
		return err
	}
	m, err := s.message(to, text)
	if err != nil {
		return err
	}
	s.awaitPeers(ctx)
	return s.home.WithRelay(ctx, func(store *relay.Store) error {
		if !m.Agent && (m.From == person || s.wait == string(relay.StateReplied)) { // who is known can be answered
			if err := s.register(ctx, store, m.From); err != nil {
				return err
			}
		}
		sent, err := s.send(ctx, store, m)
		if err != nil {
			return err
		}
		if s.wait == "" {
			return s.show(sent)
		}
		receipts, late := s.await(ctx, store, sent)
		sent.Receipts = receipts
		shown := s.show(sent)
		if late == nil && s.wait == string(relay.StateReplied) && !s.json {
			s.replies(ctx, store, receipts)
		}
		return errors.Join(shown, late)
	})
}

// check finds what is wrong with the flags.
func (s *sending) check() error {
	for flag, is := range map[string]struct {
		word  string
		words []string
	}{"priority": {s.priority, priorities}, "wait": {s.wait, waitStates}} {
		if err := oneWord("--"+flag, is.word, is.words); err != nil {
			return err
		}
	}
	if err := relay.Thread(s.thread); err != nil {
		return fmt.Errorf("--thread: %w", err)
	}
	switch {
	case s.timeout < 0:
		return fmt.Errorf("--timeout %v: it must not be negative", s.timeout)
	case s.timeout > 0 && s.wait == "":
		return errors.New("--timeout goes with --wait: nothing else waits")
	case s.timeout == 0:
		s.timeout = usualWait
	}
	return nil
}

// oneWord checks a flag that takes one word of some; "" is none.
func oneWord(flag, word string, words []string) error {
	if word == "" {
		return nil
	}
	for _, w := range words {
		if w == word {
			return nil
		}
	}
	known := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	if near := hook.Nearest(word, words); near != "" {
		known += "; did you mean " + near + "?"
	}
	return fmt.Errorf("%s %q is unknown; it is %s", flag, hook.LogLine(word), known)
}

// message is what is to be sent.
func (s *sending) message(to, text string) (m relay.Message, err error) {
	name, agent := s.self()
	if s.from != "" && s.from != name {
		if agent {
			return m, fmt.Errorf("--from %s: this is a session of %s, whose messages are its own; leave --from out", hook.LogLine(s.from), hook.LogLine(name))
		}
		name = s.from
	}
	m = relay.Message{
		ID: relay.NewID(), From: name, Session: s.getenv("HOOKWAY_SESSION"), To: to, Thread: s.thread, ReplyTo: s.reply,
		Priority: relay.Priority(s.priority), Agent: agent, Hook: !agent && delivery.ByHook(s.getenv), Hops: delivery.HopsOf(s.getenv),
	}
	if !agent {
		m.Session = keyboard(name)
	}
	if m.Metadata, err = metadata(s.meta); err != nil {
		return m, err
	}
	if m.Attachments, err = attachments(s.attach); err != nil {
		return m, err
	}
	m.Content, err = s.content(text)
	return m, err
}

// maxMessage is how much of stdin is read as a message; the store takes less.
const maxMessage = 16 << 20

func (s *sending) content(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := io.ReadAll(io.LimitReader(s.in, maxMessage+1))
	if err == nil && len(text) > maxMessage {
		err = fmt.Errorf("it has more than %d MiB; send its file with --attach", maxMessage>>20)
	}
	if err != nil {
		return "", fmt.Errorf("the text on stdin cannot be sent: %w", err)
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}

// metadata reads KEY=VALUE pairs.
func metadata(pairs []string) (map[string]any, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	all := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--meta %q must be KEY=VALUE", pair)
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		all[key] = value
	}
	return all, nil
}

// send sends a message with the hooks of the folder that we are in.
func (s *sending) send(ctx context.Context, store *relay.Store, m relay.Message) (sent delivery.Sent, err error) {
	hooks, done, err := s.home.OpenMessageHooks(ctx, hook.Envelope{Session: m.Session, Agent: m.From, Source: "cli", CWD: server.Cwd()})
	if err != nil {
		return sent, err
	}
	sent, err = delivery.Send(ctx, store, hooks, m)
	switch {
	case err != nil:
	case !sent.Abroad():
		s.home.NotifyLocal(ctx)
	default:
		if failed := s.home.NotifyRelay(ctx); failed != nil { // it is kept; the next notification brings it on its way
			s.warn("the message is kept, and waits: %v", failed)
			s.problem = failed.Error()
		}
	}
	if failed := done(); failed != nil {
		s.warn("%v", failed)
	}
	if sent.Note != "" {
		s.warn("%s", sent.Note)
	}
	var suppressed *delivery.SuppressedError
	if errors.As(err, &suppressed) {
		return sent, &exit{code: exitBlocked, err: err}
	}
	return sent, err
}

// attachments describes files.
func attachments(files []string) ([]relay.Attachment, error) {
	if len(files) > relay.MostAttachments {
		return nil, fmt.Errorf("--attach names %d files; a message refers to %d at most: name their folder in the text", len(files), relay.MostAttachments)
	}
	var all []relay.Attachment
	for _, file := range files {
		one, err := relay.Attach(file)
		if err != nil {
			return nil, fmt.Errorf("--attach %s: %w", field(file, 200), err)
		}
		all = append(all, one)
	}
	return all, nil
}

// sentReport is what --json prints of a message that was sent.
type sentReport struct {
	ID       string          `json:"id"`
	Short    string          `json:"short"` // what agents see of the id
	Message  relay.Message   `json:"message"`
	Receipts []relay.Receipt `json:"receipts"`
	Note     string          `json:"note,omitempty"`    // of the sender's hooks
	Problem  string          `json:"problem,omitempty"` // why nothing carries it now
}

// show prints what is known of a message. A receiver's hook that has suppressed it
// makes the exit code 2.
func (s *sending) show(sent delivery.Sent) error {
	code := 0
	for _, r := range sent.Receipts {
		switch r.State {
		case relay.StateDead, relay.StateRefused:
			code = exitFailure
		case relay.StateSuppressed:
			if code == 0 {
				code = exitBlocked
			}
		}
	}
	var err error
	if s.json {
		report := sentReport{ID: sent.Message.ID, Short: relay.Short(sent.Message.ID), Message: sent.Message, Receipts: sent.Receipts, Note: sent.Note, Problem: s.problem}
		if report.Receipts == nil {
			report.Receipts = []relay.Receipt{}
		}
		err = s.print(report)
	} else {
		out := visible.Writer{To: s.out}
		fmt.Fprintf(out, "%s\n", relay.Short(sent.Message.ID))
		for _, r := range sent.Receipts {
			fmt.Fprintf(out, "%s: %s\n", field(r.To, 80), stateOf(r))
		}
	}
	if code != 0 && err == nil {
		err = &exit{code: code}
	}
	return err
}

// stateOf says how far a message is with one receiver.
func stateOf(r relay.Receipt) string {
	text := string(r.State)
	if r.State == relay.StateAccepted && r.Reason != "" {
		text = "queued"
	}
	if r.Repeat {
		text += " (maybe twice)"
	}
	return text + after(": ", field(r.Reason, 300))
}

// Pauses between two looks at the receipts of a message.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 200 * time.Millisecond
)

// await waits until all receivers have a message as far as was asked for. The
// error says that they have not.
func (s *sending) await(ctx context.Context, store *relay.Store, sent delivery.Sent) ([]relay.Receipt, error) {
	limit := time.NewTimer(s.timeout)
	defer limit.Stop()
	receipts := sent.Receipts
	for pause := (backoff.Backoff{First: firstLook, Most: lastLook}); ; {
		_, now, err := store.Receipts(ctx, sent.Message.ID)
		if err != nil {
			return receipts, err
		}
		receipts = now
		if !slices.ContainsFunc(receipts, func(r relay.Receipt) bool { return !settled(r, s.wait) }) {
			return receipts, nil
		}
		next := time.NewTimer(pause.Next())
		select {
		case <-next.C:
		case <-limit.C:
			next.Stop()
			return receipts, fmt.Errorf("after %v it is not %s by all; it goes on, and hookway receipts %s tells how far it is", s.timeout, s.wait, relay.Short(sent.Message.ID))
		case <-ctx.Done():
			next.Stop()
			return receipts, fmt.Errorf("not waited for: the message goes on; hookway receipts %s tells how far it is", relay.Short(sent.Message.ID))
		}
	}
}

// settled reports whether a message is as far as a state, or will not get there.
func settled(r relay.Receipt, state string) bool {
	switch r.State {
	case relay.StateSuppressed, relay.StateRefused, relay.StateDead:
		return true
	}
	switch relay.State(state) {
	case relay.StateAccepted:
		return true
	case relay.StateInjected:
		return !r.Injected.IsZero()
	case relay.StateSeen:
		return !r.Seen.IsZero()
	}
	return !r.Replied.IsZero()
}

// replies prints what was answered, for those who have waited for that.
func (s *sending) replies(ctx context.Context, store *relay.Store, receipts []relay.Receipt) {
	for _, r := range receipts {
		if r.Reply == "" {
			continue
		}
		if m, _, err := store.Receipts(ctx, r.Reply); err == nil {
			fmt.Fprintf(visible.Writer{To: s.out}, "%s: %s\n", field(m.From, 80), hook.LogLine(m.Content))
		}
	}
}
