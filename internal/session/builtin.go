package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/visible"
)

// directiveHandler answers one directive. The text is for the agent.
type directiveHandler func(ctx context.Context, d hook.DirectiveCall) (inject string)

// builtinTimeout is for a built-in directive: the hooks of a message, here and
// there, have their own.
const builtinTimeout = 2 * time.Minute

// builtins registers the directives that hookway has itself, as far as the
// session can serve them, and returns what takes them away.
func (s *session) builtins() (remove func(), err error) {
	handlers := map[string]directiveHandler{}
	if s.mail != nil {
		handlers["relay"], handlers["broadcast"] = s.relayed, s.broadcast
	}
	if s.memory != nil {
		handlers["memory"] = s.remember
	}
	var added []string
	remove = sync.OnceFunc(func() {
		for _, id := range added {
			s.engine.Remove(id)
		}
	})
	for namespace, handler := range handlers {
		id := "hookway:" + namespace
		err := hook.On(s.engine, hook.Directive, func(ctx context.Context, ev *hook.Event[hook.DirectiveCall]) (hook.Decision, error) {
			return hook.Inject(handler(ctx, ev.Payload)), nil
		}, hook.Named(id), hook.MatchNamespace(namespace), hook.MatchSession(s.env.Session), hook.Builtin(), hook.Origin("hookway"),
			hook.Timeout(builtinTimeout))
		if err != nil {
			remove()
			return remove, fmt.Errorf("the built-in directive @%s cannot be served: %w", namespace, err)
		}
		added = append(added, id)
	}
	return remove, nil
}

// relayed sends @relay:Name text; * is everybody.
func (s *session) relayed(ctx context.Context, d hook.DirectiveCall) string {
	switch {
	case d.Target == "":
		return s.reply("The message was not sent: it names no receiver. Write @relay" + ":Name text, or @relay" + ":* text for all.")
	case isBlank(d.Body):
		return s.reply(fmt.Sprintf("The message to %s was not sent: it is empty.", d.Target))
	}
	return s.sent(ctx, d.Target, d.Body)
}

// broadcast sends @broadcast: text to everybody. A first word that was taken for
// a target belongs to the text.
func (s *session) broadcast(ctx context.Context, d hook.DirectiveCall) string {
	to, body := everybody, d.Body
	switch {
	case strings.HasPrefix(d.Target, "#"):
		to = d.Target
	case d.Target != "" && d.Target != everybody:
		body = strings.TrimSpace(d.Target + " " + body)
	}
	if isBlank(body) {
		return s.reply("The broadcast was not sent: it is empty.")
	}
	return s.sent(ctx, to, body)
}

// sent sends, and says to the agent what it should know.
func (s *session) sent(ctx context.Context, to, body string) string {
	m, err := s.messageOf(to, body)
	note := ""
	if err == nil {
		note, err = s.send(ctx, m)
	}
	if err == nil {
		return note
	}
	whom := to
	if to == everybody {
		whom = "all"
	}
	text := s.reply(fmt.Sprintf("The message to %s was not delivered: %s", whom, strings.ReplaceAll(strings.TrimPrefix(err.Error(), "it was not sent: "), "\n", "; ")))
	return visible.Join("\n\n", note, text)
}

// actions are what @memory can do.
var actions = []string{"save", "search", "forget", "list"}

// remember serves @memory:save, search, forget and list.
func (s *session) remember(ctx context.Context, d hook.DirectiveCall) string {
	if d.Target == "" {
		return s.reply("Memory: the line does not say what to do; write @memory" + ":" + strings.Join(actions, ", ") + " without a blank after the colon")
	}
	text, err := s.recall(ctx, strings.ToLower(d.Target), strings.TrimSpace(d.Body))
	if err != nil {
		text = fmt.Sprintf("Memory: %s failed: %s", d.Target, err)
	}
	return s.reply(text)
}

// reply is what a built-in directive says to the agent. There are words of others
// in it, so it is data as a message is.
func (s *session) reply(text string) string {
	text = delivery.Undirected(visible.Plain(text))
	if s.typist == nil {
		return harmless(s.command, text)
	}
	shown := harmless(s.typist.look().reads(s.typist.profile), text)
	s.quotes.add(shown, text) // until it is typed, another may read
	return shown
}

func (s *session) recall(ctx context.Context, action, body string) (string, error) {
	if body == "" && (action == "save" || action == "search" || action == "forget") {
		return "", errors.New("it needs a text")
	}
	switch action {
	case "save":
		_, err := s.memory.Save(ctx, body)
		return "✓ Saved to memory", err
	case "search":
		found, err := s.memory.Search(ctx, body)
		if len(found) > 0 && found[0].Recent {
			return nothingFound + " The most recent:\n" + listed(found, ""), err
		}
		return listed(found, nothingFound), err
	case "forget":
		return "✓ Forgotten", s.memory.Forget(ctx, body)
	case "list":
		found, err := s.memory.List(ctx)
		return listed(found, "The memory is empty."), err
	}
	if near := hook.Nearest(action, actions); near != "" {
		return "", fmt.Errorf("there is no %q; did you mean @memory"+":%s?", action, near)
	}
	return "", fmt.Errorf("there is no %q; there is %s", action, strings.Join(actions, ", "))
}

const nothingFound = "Nothing in memory is about that."

// memoriesBound bounds the text about what is remembered, in bytes.
const memoriesBound = 16 << 10

// listed is what is remembered, a line each, with the id by which to forget it.
func listed(all []hook.Remembered, none string) string {
	if len(all) == 0 {
		return none
	}
	var out strings.Builder
	out.WriteString("Memories:")
	for i, one := range all {
		line := fmt.Sprintf("\n- %s (%s)", strings.Join(strings.Fields(one.Content), " "), one.ID)
		if out.Len()+len(line) > memoriesBound {
			fmt.Fprintf(&out, "\n… and %d more", len(all)-i)
			break
		}
		out.WriteString(line)
	}
	return out.String()
}
