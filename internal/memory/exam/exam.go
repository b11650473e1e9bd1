// Package exam is a set of memories and questions, to measure how much of what is
// remembered is found: conversations, a line a turn, and notes. The questions
// mostly use other words than what answers them.
package exam

import (
	"bufio"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

//go:embed set/*.txt
var files embed.FS

// Note is something to remember.
type Note struct {
	ID, Text, Agent, Session string
	Time                     time.Time
	Tags                     []string
}

// Question is asked of the memory, and answered by the notes of some ids: in the
// sets by one.
type Question struct {
	Text string   `json:"query"`
	IDs  []string `json:"ids"`
	Set  string   `json:"-"`
}

// Built is the set that every hookway has: 376 notes, and three questions for
// each of 300.
func Built() ([]Note, []Question, error) { return Read(files, "set/*.txt") }

// Read reads the sets of a folder. Below a note are the questions that it answers.
// Lines without any are there to be in the way.
func Read(from fs.FS, pattern string) (notes []Note, asked []Question, err error) {
	names, err := fs.Glob(from, pattern)
	if err != nil || len(names) == 0 {
		return nil, nil, fmt.Errorf("no set is called %s: %v", pattern, err)
	}
	for _, name := range names {
		f, err := from.Open(name)
		if err != nil {
			return nil, nil, err
		}
		p := parser{set: strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".txt"), notes: notes, asked: asked}
		lines := bufio.NewScanner(f)
		for err == nil && lines.Scan() {
			err = p.line(lines.Text())
		}
		if err == nil {
			err = lines.Err()
		}
		f.Close()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		notes, asked = p.notes, p.asked
	}
	return notes, asked, nil
}

type parser struct {
	set, session string
	at           time.Time
	notes        []Note
	asked        []Question
}

// line reads one: "== SESSION DAY", "NAME: TEXT", "- NOTE #tag", "? QUESTION | …".
func (p *parser) line(text string) (err error) {
	kind, rest, _ := strings.Cut(text, " ")
	switch kind {
	case "":
	case "==":
		var day string
		p.session, day, _ = strings.Cut(rest, " ")
		p.at, err = time.Parse(time.DateOnly, day)
	case "?":
		for q := range strings.SplitSeq(rest, " | ") {
			p.asked = append(p.asked, Question{q, []string{p.notes[len(p.notes)-1].ID}, p.set})
		}
	default:
		n := Note{ID: fmt.Sprintf("%s-%d", p.set, len(p.notes)), Time: p.at.Add(time.Duration(len(p.notes)) * time.Second)}
		if kind == "-" {
			parts := strings.Split(rest, " #")
			n.Text, n.Tags = parts[0], parts[1:]
		} else {
			n.Agent, n.Text, n.Session = strings.TrimSuffix(kind, ":"), rest, p.set+"-"+p.session
		}
		p.notes = append(p.notes, n)
	}
	return err
}
