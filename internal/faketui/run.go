package faketui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

const (
	spinEvery   = 100 * time.Millisecond // between two frames of the spinner
	wordEvery   = 10 * time.Millisecond
	redrawEvery = 50 * time.Millisecond
	twiceWithin = 2 * time.Second // of two Ctrl-C that end the program
	interrupted = 130
)

// Run runs the TUI on a terminal until it ends, and returns its exit code. Its
// only clock is package time's, so that in a synctest bubble the same input
// gives the same output. An end of the input is a hang-up: it ends with 0.
func (t TUI) Run(ctx context.Context, on Terminal) (code int, err error) {
	if err := t.check(); err != nil {
		return 1, err
	}
	p := &performance{TUI: t, on: on, out: &screenWriter{to: on.Out}}
	p.cols, p.rows = on.Size()
	p.paint = painters[t.Style](p)
	done := make(chan struct{})
	defer close(done)
	input := reads(on.In, done)
	p.paint.begin()
	p.draw()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !p.over && p.err == nil && p.out.err == nil {
		if len(p.acts) > 0 {
			timer.Reset(max(time.Until(p.due), 0))
		} else {
			timer.Stop()
		}
		select {
		case bytes, more := <-input:
			if !more {
				p.over = true
				break
			}
			for _, k := range p.keys.read(bytes) {
				p.press(k)
			}
			p.draw()
		case <-on.Resized:
			p.cols, p.rows = on.Size()
			p.paint.resized()
			p.draw()
		case <-timer.C:
			p.act()
			p.draw()
		case <-ctx.Done():
			p.over = true
		}
	}
	p.paint.finish()
	return p.code, errors.Join(p.err, p.out.err)
}

// reads passes on what comes in, until the end or until done.
func reads(in io.Reader, done <-chan struct{}) <-chan []byte {
	all := make(chan []byte)
	go func() {
		defer close(all)
		for {
			p := make([]byte, 16<<10)
			n, err := in.Read(p)
			if n > 0 {
				select {
				case all <- p[:n]:
				case <-done:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return all
}

// screenWriter writes a frame at once and keeps the first error.
type screenWriter struct {
	to    io.Writer
	frame strings.Builder
	err   error
}

func (w *screenWriter) put(parts ...string) {
	for _, part := range parts {
		w.frame.WriteString(part)
	}
}

func (w *screenWriter) flush() {
	if w.frame.Len() == 0 {
		return
	}
	if _, err := io.WriteString(w.to, w.frame.String()); w.err == nil {
		w.err = err
	}
	w.frame.Reset()
}

// performance is one run of a TUI.
type performance struct {
	TUI
	on         Terminal
	out        *screenWriter
	paint      painter
	cols, rows int
	keys       keys

	said   []piece // what is finished of the transcript
	live   string  // the answer that is being streamed
	spin   int     // frame of the spinner; 0: there is none
	asked  *Question
	box    string // what is in the input box
	pasted time.Time
	hint   string
	ctrlC  time.Time

	used  []bool   // replies of the script
	queue []string // prompts that came while it was busy
	acts  []act    // what is left of the current answer
	due   time.Time

	over bool
	code int
	err  error
}

// act is a step of an answer.
type act struct {
	after time.Duration
	do    func()
}

// draw brings the screen up to date.
func (p *performance) draw() {
	if !p.over {
		p.paint.frame()
		p.out.flush()
	}
}

// busy reports whether an answer is on its way.
func (p *performance) busy() bool { return len(p.acts) > 0 || p.asked != nil }

// press takes a key.
func (p *performance) press(k key) {
	p.hint = ""
	if p.asked != nil {
		p.choose(k)
		return
	}
	switch k.name {
	case "":
		p.box += k.text
		if k.pasted {
			p.pasted = time.Now()
		}
	case "break":
		p.box += "\n"
	case "enter":
		if k.burst && p.BurstEnter || time.Since(p.pasted) < p.PasteEnter {
			p.box += "\n"
			return
		}
		p.submit()
	case "backspace":
		if runes := []rune(p.box); len(runes) > 0 {
			p.box = string(runes[:len(runes)-1])
		}
	case "kill":
		p.box = ""
	case "escape":
		p.interrupt()
	case "end":
		p.over = p.box == ""
	case "interrupt":
		p.ctrlc()
	}
}

// ctrlc clears the box, ends an answer, or the program the second time.
func (p *performance) ctrlc() {
	now := time.Now()
	switch {
	case p.box != "":
		p.box = ""
	case p.busy():
		p.interrupt()
		return
	case now.Sub(p.ctrlC) < twiceWithin:
		p.over, p.code = true, interrupted
		return
	}
	p.ctrlC, p.hint = now, "Press Ctrl-C again to exit"
}

// interrupt ends the answer that is on its way.
func (p *performance) interrupt() {
	if !p.busy() {
		return
	}
	p.acts, p.asked, p.spin = nil, nil, 0
	p.settle()
	p.say(piece{kind: note, text: "Interrupted"})
	p.next()
}

// submit takes the prompt out of the box.
func (p *performance) submit() {
	prompt := strings.TrimSpace(p.box)
	p.box = ""
	if prompt == "" {
		return
	}
	if p.err = p.record(Submission{Prompt: prompt}); p.err != nil {
		return
	}
	if p.busy() {
		p.queue = append(p.queue, prompt)
		return
	}
	p.answer(prompt)
}

// choose answers a dialog; other keys than its own are lost.
func (p *performance) choose(k key) {
	choice := 0
	switch {
	case k.name == "enter":
		choice = 1
	case k.name == "escape" || k.name == "interrupt":
		choice = len(p.asked.Choices)
	case k.name == "" && k.text >= "1" && k.text <= "9":
		choice = int(k.text[0] - '0')
	}
	if choice < 1 || choice > len(p.asked.Choices) {
		return
	}
	p.say(piece{kind: note, text: p.asked.Text + " " + p.asked.Choices[choice-1]})
	p.asked = nil
	p.err = p.record(Submission{Choice: choice})
	p.wait()
}

// answer starts the reply to a prompt.
func (p *performance) answer(prompt string) {
	p.say(piece{kind: user, text: prompt})
	if prompt == "/exit" {
		p.over = true
		return
	}
	p.acts = p.perform(p.reply(prompt))
	p.wait()
}

// reply is the first one of the script that fits and was not used.
func (p *performance) reply(prompt string) Reply {
	if p.used == nil {
		p.used = make([]bool, len(p.Script))
	}
	for i, r := range p.Script {
		if !p.used[i] && strings.Contains(prompt, r.To) {
			p.used[i] = true
			return r
		}
	}
	return Reply{Text: "Done."}
}

// act does the step that is due.
func (p *performance) act() {
	if len(p.acts) == 0 {
		return
	}
	do := p.acts[0].do
	p.acts = p.acts[1:]
	do()
	switch {
	case p.asked != nil: // goes on when it is answered
		p.due = time.Now().Add(time.Hour)
	case len(p.acts) == 0:
		p.next()
	default:
		p.wait()
	}
}

// wait sets when the next step is due.
func (p *performance) wait() {
	if len(p.acts) > 0 {
		p.due = time.Now().Add(p.acts[0].after)
	}
}

// next takes the next prompt that waits.
func (p *performance) next() {
	if len(p.queue) > 0 && !p.over {
		prompt := p.queue[0]
		p.queue = slices.Delete(p.queue, 0, 1)
		p.answer(prompt)
	}
}

// perform makes steps of a reply.
func (p *performance) perform(r Reply) (acts []act) {
	add := func(after time.Duration, do func()) { acts = append(acts, act{after, do}) }
	if r.Clear {
		add(0, func() { p.said, p.live = nil, ""; p.paint.cleared() })
	}
	for range r.Think / spinEvery {
		add(spinEvery, func() { p.spin++ })
	}
	add(0, func() { p.spin = 0 })
	if len(r.Tool) > 0 {
		add(wordEvery, func() { p.say(piece{kind: tool, text: strings.Join(r.Tool, "\n")}) })
	}
	if r.Ask != nil {
		add(wordEvery, func() { p.asked = r.Ask })
	}
	pause := r.Word
	if pause == 0 {
		pause = wordEvery
	}
	for _, word := range words(r.Text) {
		add(pause, func() { p.live += word })
	}
	add(pause, p.settle)
	for range r.Redraw {
		add(redrawEvery, func() { p.paint.resized() })
	}
	if r.Exit != nil {
		add(0, func() { p.over, p.code = true, *r.Exit })
	}
	return acts
}

// settle makes a piece of the transcript of what was streamed.
func (p *performance) settle() {
	if p.live != "" {
		p.say(piece{kind: agent, text: strings.TrimRight(p.live, "\n ")})
	}
	p.live = ""
}

func (p *performance) say(s piece) { p.said = append(p.said, s) }
