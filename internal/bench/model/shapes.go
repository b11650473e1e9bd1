package model

import (
	"fmt"
	"strings"
)

// Shape is a form in which a model may write directives, and what is to be fired.
type Shape struct {
	Name   string
	Text   string
	Want   []Directive
	Few    bool // it is tried in every run with real agents; the others if all are asked for
	Resize int  // the terminal gets another size after so many pieces; 0: it does not
}

// Directive is one that is to be fired.
type Directive struct{ Target, Body string }

const (
	wideBody = "ж 日本語 한국어 e\u0301 \u00fcber \U0001F680 \u05d0\u05d1 and \U0001F469\u200d\U0001F4BB"
	longBody = "Release v1.2.3 with a body that is so long that an agent in a terminal of 120 columns has to break it somewhere, at a blank, and then again"
)

// Shapes are all forms. Each text ends with a directive of its own, so that one sees
// when all of it was sent.
func Shapes() []Shape {
	one := func(name, text, target, body string) Shape {
		return Shape{Name: name, Text: text, Want: []Directive{{target, body}}}
	}
	none := func(name, text string) Shape { return Shape{Name: name, Text: text} }
	all := []Shape{
		one("a line", "I deploy.\n\n@deploy:a go now\n\nDone.", "a", "go now"),
		one("the first line", "@deploy:a go now\n\nDone.", "a", "go now"),
		one("in a list", "Some:\n\n- first\n- @deploy:a in a list\n- last", "a", "in a list"),
		one("in a list with stars", "* first\n* @deploy:a in a list\n* last", "a", "in a list"),
		one("in a numbered list", "1. first\n2. @deploy:a in a list\n3. last", "a", "in a list"),
		one("in a list in a list", "- first\n  - @deploy:a within\n- last", "a", "within"),
		one("in a quote", "They say:\n\n> @deploy:a in a quote\n\nYes.", "a", "in a quote"),
		none("in a fence", "Look:\n\n```\n@deploy:no in a fence\n```\n\nSo."),
		none("in a fence with a language", "```yaml\nrun: x\n@deploy:no in a fence\n```"),
		none("in a fence of tildes", "~~~\n@deploy:no in a fence\n~~~"),
		none("in a long fence", "````\n```\n@deploy:no in a fence\n```\n````"),
		none("in a fence in a list", "- first\n\n  ```\n  @deploy:no in a fence\n  ```\n- last"),
		one("after a fence", "```\n@deploy:no in a fence\n```\n@deploy:a outside", "a", "outside"),
		one("between fences", "```\n@deploy:no x\n```\n\n@deploy:a between\n\n```\n@deploy:no y\n```", "a", "between"),
		one("as in a fence", "```\n@deploy:a the same\n```\n\n@deploy:a the same", "a", "the same"),
		none("escaped", "\\@deploy:no escaped"),
		none("within a line", "Text with @deploy:no inside, mail to a@deploy:no and `@deploy:no` as code."),
		one("below a heading", "# A heading\n\n@deploy:a below", "a", "below"),
		one("below a table", "| a | b |\n|---|---|\n| 1 | 2 |\n\n@deploy:a below", "a", "below"),
		one("below a rule", "Above.\n\n---\n\n@deploy:a below", "a", "below"),
		one("after bold text", "**Bold** and *italic*.\n\n@deploy:a after", "a", "after"),
		one("with Markdown", "@deploy:a with `code`, **bold**, *italic* and [a link](https://example.com/x)", "a",
			"with `code`, **bold**, *italic* and [a link](https://example.com/x)"),
		one("with markup", "@deploy:a set <b>x</b> & y &amp; z", "a", "set <b>x</b> & y &amp; z"),
		one("with quotes", `@deploy:a say "this" and 'that' and $(x) and \n and C:\temp`, "a", `say "this" and 'that' and $(x) and \n and C:\temp`),
		one("with signs", "@deploy:a 100% ~/x #1 @you *y* _z_ ^2 {a} [b] (c) <= >= != …", "a", "100% ~/x #1 @you *y* _z_ ^2 {a} [b] (c) <= >= != …"),
		one("with wide characters", "Wide.\n\n@deploy:a "+wideBody, "a", wideBody),
		one("wider than the screen", "@deploy:a "+longBody, "a", longBody),
		one("much wider than the screen", "@deploy:a "+strings.Repeat(longBody+" ", 12)+"end", "a", strings.Repeat(longBody+" ", 12)+"end"),
		one("without blanks", "@deploy:a "+strings.Repeat("abcdefghij", 30), "a", strings.Repeat("abcdefghij", 30)),
		one("with an item", "@deploy:a first\n  - item\n  - another", "a", "first\n- item\n- another"),
		one("a block", "@deploy:a <<<\nfirst\n\n  set in\nlast\n>>>\n\nAfter.", "a", "first\n\n  set in\nlast"),
		one("a block with a fence", "@deploy:a <<<\n```\n@deploy:no x\n```\n>>>", "a", "```\n@deploy:no x\n```"),
		one("a block in one line", "@deploy:a <<<all of it>>>", "a", "all of it"),
		{Name: "two", Text: "@deploy:a one\n@deploy:b two", Want: []Directive{{"a", "one"}, {"b", "two"}}},
		{Name: "twice the same", Text: "@deploy:a same\n\nAnd:\n\n@deploy:a same", Want: []Directive{{"a", "same"}, {"a", "same"}}},
		one("the same as before", "Again.\n\n@deploy:a same", "a", "same"),
		one("the same as before, again", "Again.\n\n@deploy:a same", "a", "same"),
		one("many paragraphs", strings.Repeat("A paragraph of some words that say nothing.\n\n", 30)+"@deploy:a at last", "a", "at last"),
		one("at the top of a long text", "@deploy:a at first\n\n"+strings.Repeat("A paragraph of some words that say nothing.\n\n", 60), "a", "at first"),
		{Name: "a hundred", Text: hundred(), Want: hundredWant()},
		one("3,000 lines", strings.Repeat("A line of a long list.\n", 1500)+"\n@deploy:a in the middle\n\n"+strings.Repeat("A line of a long list.\n", 1500), "a", "in the middle"),
	}
	all = append(all, resized(all)...)
	for i := range all {
		switch all[i].Name {
		case "in a list", "in a fence, resized", "in a quote", "the same as before", "the same as before, resized", "a block", "with wide characters":
			all[i].Few = true
		}
	}
	return all
}

// resized are some of the forms, with a terminal that gets another size at the begin, in
// the middle or at the end of the text.
func resized(all []Shape) (some []Shape) {
	after := map[string]int{"in a list": 1, "in a fence": 2, "in a quote": 3, "wider than the screen": 5, "a block": 8, "the same as before": 13}
	for _, s := range all {
		if pieces, ok := after[s.Name]; ok {
			s.Name, s.Resize = s.Name+", resized", pieces
			some = append(some, s)
		}
	}
	return some
}

func hundred() string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "- @deploy:n number %d\n", i)
	}
	return b.String()
}

func hundredWant() (all []Directive) {
	for i := range 100 {
		all = append(all, Directive{"n", fmt.Sprint("number ", i)})
	}
	return all
}
