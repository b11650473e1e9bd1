//go:build linux || darwin

package session_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/faketui"
	"github.com/hookway/hookway/internal/session"
)

// tui runs a scripted agent under the name of a real one, whose profile it has.
func tui(t *testing.T, name string, agent faketui.TUI, in *os.File) (r reached, record string) {
	t.Helper()
	record = filepath.Join(t.TempDir(), "record")
	agent.Record = record
	argv, env, err := agent.Command()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(argv[0], program); err != nil {
		t.Fatal(err)
	}
	r = typing(t, session.Config{Stdin: in, Command: []string{program}, Env: env})
	// Until a program reads the keys itself, its terminal makes a line break of
	// Enter, with hookway and without: two lines would be one prompt.
	r.screen.await(t, "\x1b[?2004h")
	return r, record
}

// prompts is what the agent was given, in order.
func prompts(t *testing.T, record string) (all []string) {
	t.Helper()
	submitted, err := faketui.Submitted(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range submitted {
		if s.Choice > 0 {
			t.Errorf("a question was answered: %+v", s)
		}
		all = append(all, s.Prompt)
	}
	return all
}

// human types lines as people do: key by key, with pauses, mistakes, and breaks
// between the lines. After one line in four it reads what comes. It ends when done
// is closed, with its last line finished.
func human(w io.Writer, name string, seed uint64, done <-chan struct{}, reads func(line string)) (lines []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	key := func(keys string, most time.Duration) {
		_, _ = io.WriteString(w, keys)
		time.Sleep(time.Duration(r.Int64N(int64(most))))
	}
	for {
		select {
		case <-done:
			return lines
		default:
		}
		line := fmt.Sprintf("%s %d, %x", name, len(lines), r.Uint32())
		for _, c := range line {
			if r.IntN(12) == 0 {
				key("x", 20*time.Millisecond)
				key("\x7f", 20*time.Millisecond)
			}
			most := 10 * time.Millisecond
			if r.IntN(30) == 0 {
				most = 500 * time.Millisecond // thinking
			}
			key(string(c), most)
		}
		key("\r", 800*time.Millisecond)
		if lines = append(lines, line); len(lines)%4 == 0 {
			reads(line)
		}
	}
}

// reader is a human who reads until the agent has a line, and then the next text:
// however slow the machine is, there is a time in which texts can be typed.
type reader struct {
	record string
	done   chan struct{}
	text   chan struct{}
}

func (h reader) reads(line string) {
	for {
		if got, err := faketui.Submitted(h.record); err == nil && slices.Contains(got, faketui.Submission{Prompt: line}) {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-h.done:
			return
		}
	}
	select {
	case <-h.text:
	case <-h.done:
	}
}

// sees tells a human who reads that there is a text.
func (h reader) sees() {
	select {
	case h.text <- struct{}{}:
	default:
	}
}

func TestTextsAndTheUsersLinesStayApart(t *testing.T) {
	for _, agent := range []faketui.TUI{
		{Style: faketui.Alternate}, {Style: faketui.Inline}, {Style: faketui.Ink}, {Style: faketui.Plain},
	} {
		name, each := "claude", 30
		if agent.Style == faketui.Plain { // without a profile texts wait longer
			name, each = "interpreter", 15
		}
		if testing.Short() {
			each = 5
		}
		for seed := range uint64(2) {
			agent.Script = script(seed)
			t.Run(fmt.Sprint(agent.Style, seed), func(t *testing.T) {
				t.Parallel()
				in, keys := keyboard(t)
				r, record := tui(t, name, agent, in)
				r.WatchMost(3 * time.Second)
				h := reader{record, make(chan struct{}), make(chan struct{})}
				finish := sync.OnceFunc(func() { close(h.done) })
				t.Cleanup(finish)
				typed := make(chan []string, 1)
				go func() { typed <- human(keys, "human", seed, h.done, h.reads) }()
				var want []string
				for i := range each {
					text := fmt.Sprintf("injected %d: %x", i, rand.Uint64())
					if i%5 == 4 && agent.Style != faketui.Plain {
						text += "\nwith a second line\n\tand a third one"
					}
					if state, reason := r.types(text); state == "failed" { // who has no time sees less
						t.Errorf("%q ended as %s: %s", text, state, reason)
					}
					want = append(want, text)
					h.sees()
				}
				finish()
				lines := <-typed
				r.WatchMost(patience)
				r.submits("/the end") // and all before it was read
				got := prompts(t, record)
				for _, text := range append(want, lines...) {
					n := 0
					for _, g := range got {
						if g == text {
							n++
						}
					}
					if n != 1 {
						t.Errorf("%q arrived %d times", text, n)
					}
				}
				if extra := len(got) - len(want) - len(lines) - 1; extra != 0 || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "the end") }) {
					t.Errorf("%d more prompts than texts and lines; there are %q", extra, got)
				}
			})
		}
	}
}

func TestATextIsSubmittedWhenTheUserGoesOnTyping(t *testing.T) {
	for name, tt := range map[string]struct{ box, want string }{
		"another line": {"❯ mine", "submitted"}, "the text": {"❯ injected", "echoed"},
		"in front of it": {"❯ mine injected", "echoed"}, "folded": {"❯ [Pasted text +9 lines]", "echoed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := keyboard(t)
			r := typing(t, session.Config{Stdin: in, Name: "claude", Command: sh(
				`stty raw -echo; printf '\033[?2004h\033[2J\033[H────\r\n❯ \r\n────\033[2;3H'; dd bs=4096 count=1 >/dev/null 2>&1
				printf '\033[2J\033[H> injected\r\n────\r\n` + tt.box + `\r\n────\033[3;7H'; exec sleep 1000`)})
			r.screen.await(t, "❯")
			if tt.want != "submitted" {
				r.WatchMost(3 * time.Second)
			}
			if state, reason := r.types("injected"); state != tt.want {
				t.Errorf("it ended as %s (%s), want %s; the screen is %q", state, reason, tt.want, r.screen.String())
			}
		})
	}
}

func TestTextsReachAgentsThatGuardTheirEnter(t *testing.T) {
	for name, agent := range map[string]faketui.TUI{
		"claude": {BurstEnter: true, PasteEnter: 40 * time.Millisecond}, // it must be pressed again
		"gemini": {BurstEnter: true, PasteEnter: 40 * time.Millisecond},
	} {
		for _, style := range []faketui.Style{faketui.Alternate, faketui.Inline, faketui.Ink} {
			agent.Style = style
			t.Run(name+" "+string(style), func(t *testing.T) {
				t.Parallel()
				in, _ := keyboard(t)
				r, record := tui(t, name, agent, in)
				texts := []string{"one line", "two\nlines", "x", strings.Repeat("häkchen\n", 8<<10)[:64<<10] + "."}
				for _, text := range texts {
					r.submits(text)
				}
				if got := prompts(t, record); !slices.Equal(got, texts) {
					t.Errorf("it was given %.300q", got)
				}
			})
		}
	}
}

func TestAnAgentsDialogIsNotAnswered(t *testing.T) {
	for _, style := range []faketui.Style{faketui.Alternate, faketui.Inline, faketui.Ink} {
		t.Run(string(style), func(t *testing.T) {
			t.Parallel()
			in, keys := keyboard(t)
			r, record := tui(t, "claude", faketui.TUI{Style: style, Script: []faketui.Reply{
				{To: "deploy", Ask: &faketui.Question{Text: "Deploy now?", Choices: []string{"Yes", "No"}}, Text: "Well."},
			}}, in)
			r.submits("deploy it")
			r.screen.await(t, "Deploy now?")
			p := r.put("1", "asking the user")
			write(t, keys, "2")
			if state, reason := r.ended(p); state != "submitted" {
				t.Errorf("it ended as %s (%s)", state, reason)
			}
			got, err := faketui.Submitted(record)
			if want := []faketui.Submission{{Prompt: "deploy it"}, {Choice: 2}, {Prompt: "1"}}; err != nil || !slices.Equal(got, want) {
				t.Errorf("it was given %+v, %v", got, err)
			}
		})
	}
}

func TestASuggestionIsWaitedFor(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	r, record := tui(t, "claude", faketui.TUI{Style: faketui.Alternate, Ghost: "yes, go on"}, in)
	p := r.put("injected", "a suggestion stands at the prompt")
	write(t, keys, "mine") // it goes away, and comes back after Enter
	r.screen.await(t, "mine")
	if state, why := p.State(); state != "waiting" {
		t.Errorf("it is %s (%s)", state, why)
	}
	if got := prompts(t, record); len(got) != 0 {
		t.Errorf("it was given %q", got)
	}
}

// script makes an agent that sometimes thinks, and draws everything again
// without need.
func script(seed uint64) (replies []faketui.Reply) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		reply := faketui.Reply{Text: "Done, and said so.", Word: time.Millisecond, Redraw: r.IntN(4)}
		if r.IntN(8) == 0 {
			reply.Think = time.Duration(r.IntN(400)) * time.Millisecond
		}
		replies = append(replies, reply)
	}
	return replies
}
