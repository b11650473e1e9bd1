package directive

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// d is a directive as the tables below spell it.
func d(namespace, target, body string) Directive {
	return Directive{Namespace: namespace, Target: target, Body: body}
}

// bare drops what most tables do not look at.
func bare(ds []Directive) []Directive {
	var out []Directive
	for _, x := range ds {
		x.Line, x.Raw = 0, ""
		out = append(out, x)
	}
	return out
}

func TestGrammar(t *testing.T) {
	long := strings.Repeat("n", maxNamespace)
	longName := strings.Repeat("t", maxTarget)
	deploy := []Directive{d("deploy", "staging", "go")}
	tests := []struct {
		name, text string
		want       []Directive
	}{
		// head
		{"name target", "@deploy:staging Release v1.2.3", []Directive{d("deploy", "staging", "Release v1.2.3")}},
		{"no body", "@memory:list", []Directive{d("memory", "list", "")}},
		{"everybody", "@relay:* Status update", []Directive{d("relay", "*", "Status update")}},
		{"channel", "@notify:#engineering Build complete", []Directive{d("notify", "#engineering", "Build complete")}},
		{"empty target", "@broadcast: all done", []Directive{d("broadcast", "", "all done")}},
		{"tab after the target", "@deploy:staging\tgo", deploy},
		{"no-break space after the target", "@deploy:staging\u00a0go", deploy},
		{"namespace with digits and marks", "@My-ns_2:x go", []Directive{d("My-ns_2", "x", "go")}},
		{"longest namespace", "@" + long + ":x go", []Directive{d(long, "x", "go")}},
		{"namespace too long", "@n" + long + ":x go", nil},
		{"namespace starts with a digit", "@2fa:x go", nil},
		{"namespace not ASCII", "@größe:x go", nil},
		{"no namespace", "@:x go", nil},
		{"no colon", "@deploy staging", nil},
		{"only an at sign", "@", nil},
		{"target with inner marks", "@relay:web.team/Bob-2@host:a go", []Directive{d("relay", "web.team/Bob-2@host:a", "go")}},
		{"target in another script", "@relay:Zoë go", []Directive{d("relay", "Zoë", "go")}},
		{"target with a combining accent", "@relay:Zoe\u0308 go", []Directive{d("relay", "Zoe\u0308", "go")}},
		{"longest target", "@relay:" + longName + " go", []Directive{d("relay", longName, "go")}},
		{"target too long", "@relay:t" + longName + " go", nil},
		{"target ends with a full stop", "@relay:Bob.", nil},
		{"attribute of a template", `@click:open="x"`, nil},
		{"star with more", "@relay:*x go", nil},
		{"channel without a name", "@relay:# go", nil},
		{"two spaces after the colon", "@relay:  Bob go", []Directive{d("relay", "", "Bob go")}},
		{"neither target nor body", "@relay:\nx", nil},

		// prefix
		{"indented", "  \t@deploy:staging go", deploy},
		{"dash", "- @deploy:staging go", deploy},
		{"plus as list mark", "+ @deploy:staging go", deploy},
		{"star as list mark", "* @deploy:staging go", deploy},
		{"round bullet", "• @deploy:staging go", deploy},
		{"numbered", "1. @deploy:staging go", deploy},
		{"numbered with bracket", "12) @deploy:staging go", deploy},
		{"number too long", "1234. @deploy:staging go", nil},
		{"list mark without blank", "-@deploy:staging go", nil},
		{"quoted", "> @deploy:staging go", deploy},
		{"quoted twice", ">> @deploy:staging go", deploy},
		{"box", "│ @deploy:staging go │", deploy},
		{"heavy box", "┃ @deploy:staging go   ┃", deploy},
		{"double box", "║@deploy:staging go║", deploy},
		{"ASCII box", "| @deploy:staging go |", deploy},
		{"quote bars", "▎▌▏ @deploy:staging go", deploy},
		{"closing border only", "@deploy:staging go   │", deploy},
		{"ASCII bar kept outside a box", "@deploy:staging go |", []Directive{d("deploy", "staging", "go |")}},
		{"border right after the target", "│ @deploy:staging│", []Directive{d("deploy", "staging", "")}},
		{"everything at once", "│ > ⏺ - 1. @deploy:staging go │", deploy},
		{"carriage return at the end", "@deploy:staging go\r", deploy},

		// plain bodies of several lines
		{"deeper lines continue", "@relay:Bob one\n  two\n    three\nnot this", []Directive{d("relay", "Bob", "one\ntwo\n  three")}},
		{"body only below", "@broadcast:\n  one\n  two", []Directive{d("broadcast", "", "one\ntwo")}},
		{"list items below", "@relay:Bob do:\n- one\n- two\n  more\nnot this", []Directive{d("relay", "Bob", "do:\n- one\n- two\n  more")}},
		{"list items deeper", "  @relay:Bob do:\n    1. one\n    2. two", []Directive{d("relay", "Bob", "do:\n1. one\n2. two")}},
		{"a sibling in a list is not a continuation", "- @relay:Bob one\n- two", []Directive{d("relay", "Bob", "one")}},
		{"under a list mark", "- @relay:Bob one\n  two", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"wrapped under a glyph", "● @relay:Bob one\n  two\n\n  three", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"list item beside a glyph", "● @relay:Bob one\n- two", []Directive{d("relay", "Bob", "one")}},
		{"a glyph ends it", "● @relay:Bob one\n  ⎿ Ran", []Directive{d("relay", "Bob", "one")}},
		{"in a box", "│ @relay:Bob one │\n│   two        │\n│ three        │", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"out of the box", "│ @relay:Bob one │\n    two", []Directive{d("relay", "Bob", "one")}},
		{"tab after a border", "│\t@relay:Bob one\n│\t\ttwo\n│ three", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"carriage return before it", "\r@relay:Bob one\n\r two", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"blanks end it in a box", "│ @relay:Bob one │\n   \n│   two │", []Directive{d("relay", "Bob", "one")}},
		{"backslashes in the body", "@relay:Bob say\n  \\n\n  \\", []Directive{d("relay", "Bob", "say\n\\n\n\\")}},
		{"bytes that are not text", "\xe2\x94@relay:Bob x\n\xe2\n\xc2\n@relay:Bob a\xff\xfe", []Directive{d("relay", "Bob", "a\xff\xfe")}},
		{"tab continues", "@relay:Bob one\n\ttwo", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"the next directive ends it", "@relay:Bob one\n  @relay:Eve two", []Directive{d("relay", "Bob", "one"), d("relay", "Eve", "two")}},
		{"the same directive twice", "@relay:Bob one\n@relay:Bob one", []Directive{d("relay", "Bob", "one"), d("relay", "Bob", "one")}},
		{"escaped in the body", "@relay:Bob say\n  \\@deploy:prod now", []Directive{d("relay", "Bob", "say\n@deploy:prod now")}},
		{"code in the body", "@relay:Bob see\n  ```\n  @deploy:prod x\nleft\n  ```\nnot this\n@deploy:staging go",
			[]Directive{d("relay", "Bob", "see\n```\n@deploy:prod x\nleft\n```"), d("deploy", "staging", "go")}},

		// fences
		{"fence", "@relay:Bob <<<\none\n\n  two\n>>>\nafter", []Directive{d("relay", "Bob", "one\n\n  two")}},
		{"fence with a first line", "@relay:Bob <<< one\ntwo\n  >>>  ", []Directive{d("relay", "Bob", "one\ntwo")}},
		{"fence in one line", "@relay:Bob <<< one >>>\nafter", []Directive{d("relay", "Bob", "one")}},
		{"empty fence", "@relay:Bob <<<\n>>>", []Directive{d("relay", "Bob", "")}},
		{"fence without target", "@broadcast: <<<\none\n>>>", []Directive{d("broadcast", "", "one")}},
		{"fence under a glyph", "● @relay:Bob <<<\n  one\n    two\n  >>>", []Directive{d("relay", "Bob", "one\n  two")}},
		{"fence in a box", "│ @relay:Bob <<< │\n│ one            │\n│   two │ x      │\n│ >>>            │", []Directive{d("relay", "Bob", "one\n  two │ x")}},
		{"fence in a quote", "> @relay:Bob <<<\n> one\n> >>>", []Directive{d("relay", "Bob", "one")}},
		{"fence in a quote closed outside", "> @relay:Bob <<<\n> one\n>>>", []Directive{d("relay", "Bob", "one")}},
		{"arrows at the end of a line do not close", "@relay:Bob <<<\nList<List<List<int>>>\n>>>", []Directive{d("relay", "Bob", "List<List<List<int>>>")}},
		{"escaped in a fence", "@relay:Bob <<<\n\\@deploy:prod x\n>>>", []Directive{d("relay", "Bob", "@deploy:prod x")}},
		{"code in a fence", "@relay:Bob <<<\n```\n@deploy:prod x\n\\@a:b\n```\n>>>", []Directive{d("relay", "Bob", "```\n@deploy:prod x\n\\@a:b\n```")}},
		{"open code in a fence", "@relay:Bob <<<\n```\nx\n>>>\n@deploy:staging go", []Directive{d("relay", "Bob", "```\nx"), d("deploy", "staging", "go")}},
		{"carriage returns in a fence", "@relay:Bob <<<\r\none\r\n>>>\r", []Directive{d("relay", "Bob", "one")}},
		{"unclosed fence ends at the next directive", "@relay:Bob <<<\none\n@deploy:staging go",
			[]Directive{{Namespace: "relay", Target: "Bob", Body: "one", Open: true}, d("deploy", "staging", "go")}},
		{"unclosed fence ends at the end", "@relay:Bob <<<\none", []Directive{{Namespace: "relay", Target: "Bob", Body: "one", Open: true}}},

		// no directives
		{"middle of a line", "say @deploy:staging go", nil},
		{"mail address", "me@deploy:corp go", nil},
		{"escaped", `\@deploy:staging go`, nil},
		{"escaped twice", `\\@deploy:staging go`, nil},
		{"escaped after a mark", `● \@deploy:staging go`, nil},
		{"code fence", "```\n@deploy:prod x\n```\n@deploy:staging go", deploy},
		{"tilde fence", "~~~sh\n@deploy:prod x\n```\n@deploy:prod x\n~~~\n@deploy:staging go", deploy},
		{"longer fence", "````\n```\n@deploy:prod x\n````\n@deploy:staging go", deploy},
		{"code fence after a glyph", "● ```go\n  @deploy:prod x\n  ```\n@deploy:staging go", deploy},
		{"code fence in a box", "│ ``` │\n│ @deploy:prod x │\n│ ``` │\n@deploy:staging go", deploy},
		{"code in a line opens no fence", "```x```\n@deploy:staging go", deploy},
		{"two backticks open no fence", "``\n@deploy:staging go", deploy},
		{"a code fence ends a directive", "@deploy:staging go\n```\n  @deploy:prod x\n```", deploy},
		{"a code fence that is not a fence stays closed", "~~\n@deploy:staging go", deploy},
		{"text after a fence mark does not close it", "```\n@deploy:prod x\n``` x\n@deploy:prod x\n```", nil},
		{"a list mark does not close a code fence", "```\n- ```\n@deploy:prod x\n```", nil},
		{"empty text", "", nil},
		{"empty line", "│ │\n", nil},

		// usage: lines about the syntax
		{"placeholder", "@memory:save <content>", nil},
		{"placeholder of several words", "@memory:save <what you learned>", nil},
		{"placeholder in capitals", "@relay:Bob <YOUR_MESSAGE>", nil},
		{"placeholder of choices", "@deploy:staging <start|stop>", nil},
		{"placeholder with a slash", "@deploy:staging <major/minor>", nil},
		{"placeholder in quotes", `@relay:Bob "<message>"`, nil},
		{"placeholder that may be left out", "@relay:Bob [<message>]", nil},
		{"placeholder and full stop", "@relay:Bob <message>.", nil},
		{"placeholders", "@mail:Bob <subject> <text ...>", nil},
		{"placeholders without a blank", "@mail:Bob <subject><text>", nil},
		{"placeholder without target", "@broadcast: <message>", nil},
		{"placeholder to everybody", "@relay:* <message>", nil},
		{"placeholder in another script", "@relay:Bob <Nachricht für ihn>", nil},
		{"placeholder as target", "@relay:<name> text", nil},
		{"other targets that stand for one", "@relay:{name} text\n@relay:[name] text\n@relay:$NAME text\n@relay:... text\n@relay:… text", nil},
		{"placeholder as namespace", "@<namespace>:target text", nil},
		{"your message", "@relay:Bob your message\n@relay:Bob Your message here\n@relay:Bob \"Message goes here.\"\n@memory:save your text goes here...", nil},
		{"ellipsis", "@relay:Alice ...", nil},
		{"ellipsis of one rune", "@relay:Alice …", nil},
		{"ellipsis in brackets", "@relay:Alice (...)", nil},
		{"long ellipsis", "@relay:Alice ……", nil},
		{"comment after a placeholder", "@memory:save <content> # Store a memory", nil},
		{"comment in its own column", "@memory:list                  # List recent memories", nil},
		{"comment after a tab", "@memory:list\t# List recent memories", nil},
		{"comment of two slashes", "@memory:list  // List recent memories", nil},
		{"note after a placeholder", "- @memory:save <content> - stores it\n- @memory:save <content>: stores it\n- @memory:save <content> → stores it", nil},
		{"note after a dash", "@memory:list — lists them\n@memory:list – lists them\n@memory:list -- lists them", nil},
		{"wrapped note", "@memory:save <content>   # Store a\n                         # memory\n@deploy:staging go", deploy},
		{"text below a placeholder", "@memory:save <content>\n    Stores the content.\n@deploy:staging go", deploy},
		{"the word namespace", "@namespace:target message\n@Namespace:target <<<\nmessage\n>>>", nil},
		{"in backticks", "`@relay:Bob hi`\n- `@memory:list` lists them", nil},
		{"placeholder below", "@broadcast:\n  <message>", nil},
		{"example", "Example:\n@relay:Bob hi\n\n@deploy:staging go", deploy},
		{"examples in a block of their own", "● **Examples:**\n\n  @relay:Bob hi\n    there\n  - @memory:save a\n  @relay:Bob <<<\n  a\n  >>>\n\n  @deploy:staging go", deploy},
		{"examples up to other text", "For example:\n@relay:Bob hi\nand then\n@deploy:staging go", deploy},
		{"examples in a box", "│ Usage:   │\n│ @a:b c   │\n│          │\n│ @deploy:staging go │", deploy},
		{"heading of examples", "## Examples\n@relay:Bob hi", nil},
		{"text of the syntax", "SYNTAX:\n@relay:Bob hi\ne.g.\n@relay:Bob hi", nil},
		{"text after the announcement", "Usage:\nfirst read this\n@deploy:staging go", deploy},
		{"no announcement", "Here is an example:\n@deploy:staging go", deploy},
		{"announcement in the middle", "Usage: it is\n@deploy:staging go", deploy},
		{"placeholder below an example", "Usage:\n@relay:Bob <div>\n  <p>x</p>\n\n@deploy:staging go", deploy},
		{"in the middle of a sentence", "Use @relay:Name hi", nil},
		{"row of a table", "│ @relay: │ Messages │ @relay:Alice Check the tests │\n| @relay: | Messages |\n┃ @relay:x ┃ y ┃\n║ @relay:x ║ y ║", nil},
		{"usage in a fence", "@relay:Bob <<<\n<message>\n...\n>>>\n@deploy:staging go", deploy},
		{"usage in a fence in one line", "@relay:Bob <<< … >>>", nil},
		{"usage does not end a fence", "@relay:Bob <<<\nwrite:\n@memory:save <content>\n>>>", []Directive{d("relay", "Bob", "write:\n@memory:save <content>")}},
		{"usage below a directive is its body", "@relay:Bob write:\n  @memory:save <content>", []Directive{d("relay", "Bob", "write:\n@memory:save <content>")}},
		{"usage ends a directive", "@relay:Bob one\n@memory:save <content>\n  two", []Directive{d("relay", "Bob", "one")}},
		{"a directive below usage", "@memory:save <content>\n  @deploy:staging go", deploy},

		// bodies that look like usage
		{"message", "@relay:Bob message", []Directive{d("relay", "Bob", "message")}},
		{"here", "@relay:Bob here", []Directive{d("relay", "Bob", "here")}},
		{"your answer and more", "@relay:Bob your answer is right", []Directive{d("relay", "Bob", "your answer is right")}},
		{"your question and more lines", "@relay:Bob your question\n  is a good one", []Directive{d("relay", "Bob", "your question\nis a good one")}},
		{"your message in a fence", "@relay:Bob <<<\nwrite:\n@relay:Eve your message\n>>>", []Directive{d("relay", "Bob", "write:\n@relay:Eve your message")}},
		{"your turn here", "@relay:Bob your turn here", []Directive{d("relay", "Bob", "your turn here")}},
		{"a long text", "@relay:Bob " + strings.Repeat("your message here ", 3) + "x", []Directive{d("relay", "Bob", strings.Repeat("your message here ", 3)+"x")}},
		{"tag and text", "@relay:Bob <b>hi</b>", []Directive{d("relay", "Bob", "<b>hi</b>")}},
		{"placeholder and text", "@relay:Bob <script> is missing", []Directive{d("relay", "Bob", "<script> is missing")}},
		{"text and placeholder", "@relay:Bob use <id>", []Directive{d("relay", "Bob", "use <id>")}},
		{"tag that closes itself", "@relay:Bob <br/>", []Directive{d("relay", "Bob", "<br/>")}},
		{"closing tag", "@relay:Bob </div>", []Directive{d("relay", "Bob", "</div>")}},
		{"tag with attributes", `@relay:Bob <a href="x">`, []Directive{d("relay", "Bob", `<a href="x">`)}},
		{"URL in brackets", "@relay:Bob <https://example.org/x>", []Directive{d("relay", "Bob", "<https://example.org/x>")}},
		{"address in brackets", "@relay:Bob <me@example.org>", []Directive{d("relay", "Bob", "<me@example.org>")}},
		{"generics", "@relay:Bob Map<String, List<T>> it is", []Directive{d("relay", "Bob", "Map<String, List<T>> it is")}},
		{"generic with a method", "@relay:Bob <T>.new() fails", []Directive{d("relay", "Bob", "<T>.new() fails")}},
		{"less than", "@relay:Bob <3 and >2", []Directive{d("relay", "Bob", "<3 and >2")}},
		{"less than, blank", "@relay:Bob <a > b", []Directive{d("relay", "Bob", "<a > b")}},
		{"empty brackets", "@relay:Bob <>", []Directive{d("relay", "Bob", "<>")}},
		{"long brackets", "@relay:Bob <" + long + long + ">", []Directive{d("relay", "Bob", "<"+long+long+">")}},
		{"markup below a tag", "@relay:Bob <div>\n  <p>hi</p>\n  </div>", []Directive{d("relay", "Bob", "<div>\n<p>hi</p>\n</div>")}},
		{"markup below tags", "@relay:Bob <ul>\n  <li>\n  <b>hi</b>", []Directive{d("relay", "Bob", "<ul>\n<li>\n<b>hi</b>")}},
		{"ellipsis and text", "@relay:Bob ... and then?", []Directive{d("relay", "Bob", "... and then?")}},
		{"text and ellipsis", "@relay:Bob wait …", []Directive{d("relay", "Bob", "wait …")}},
		{"two full stops", "@relay:Bob ..", []Directive{d("relay", "Bob", "..")}},
		{"path of dots", "@relay:Bob .../x", []Directive{d("relay", "Bob", ".../x")}},
		{"heading", "@relay:Bob # Report", []Directive{d("relay", "Bob", "# Report")}},
		{"number sign after two blanks", "@relay:Bob  #12 is done", []Directive{d("relay", "Bob", "#12 is done")}},
		{"comment after text", "@relay:Bob x = 1  # one", []Directive{d("relay", "Bob", "x = 1  # one")}},
		{"item", "@relay:Bob - one", []Directive{d("relay", "Bob", "- one")}},
		{"flag", "@deploy:staging --force", []Directive{d("deploy", "staging", "--force")}},
		{"dash alone", "@relay:Bob —", []Directive{d("relay", "Bob", "—")}},
		{"pipe in a box", "│ @relay:Bob run a | b │", []Directive{d("relay", "Bob", "run a | b")}},
		{"bars without a box", "@relay:Bob a │ b │", []Directive{d("relay", "Bob", "a │ b")}},
		{"heading in a fence", "@relay:Bob <<<\n# Report\n<id>\n>>>", []Directive{d("relay", "Bob", "# Report\n<id>")}},
	}
	for _, g := range "⏺●○❯›⎿└╰├✦✻✶◆◇■▪▶►⏵→»" {
		tests = append(tests, struct {
			name, text string
			want       []Directive
		}{"glyph " + string(g), string(g) + " @deploy:staging go", deploy})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := bare(Parse(tt.text)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Parse(%q)\n got %+v\nwant %+v", tt.text, got, tt.want)
			}
		})
	}
}

func TestLineNumbersAndRawText(t *testing.T) {
	var p Parser
	got := p.Line("one\n  - @relay:Bob two")
	got = append(got, p.Line("      three")...)
	got = append(got, p.Line("four")...)
	got = append(got, p.Flush()...)
	got = append(got, p.Line("@deploy:staging")...)
	got = append(got, p.Flush()...)
	want := []Directive{
		{Namespace: "relay", Target: "Bob", Body: "two\nthree", Line: 2, Raw: "  - @relay:Bob two\n      three"},
		{Namespace: "deploy", Target: "staging", Line: 5, Raw: "@deploy:staging"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAPlainDirectiveIsHeldUntilTheNextLineOrSettle(t *testing.T) {
	var p Parser
	if got := p.Line("@deploy:staging go"); got != nil {
		t.Fatalf("reported before it could be complete: %+v", got)
	}
	if got := bare(p.Settle()); !reflect.DeepEqual(got, []Directive{d("deploy", "staging", "go")}) {
		t.Fatalf("Settle: %+v", got)
	}
	if got := append(p.Settle(), p.Flush()...); got != nil {
		t.Fatalf("reported twice: %+v", got)
	}
	if got := append(p.Line("  more"), p.Flush()...); got != nil {
		t.Fatalf("a late continuation: %+v", got)
	}
}

func TestSettleLeavesFencesOpen(t *testing.T) {
	var p Parser
	p.Line("@relay:Bob <<<\none")
	if got := p.Settle(); got != nil {
		t.Fatalf("Settle ended a fence: %+v", got)
	}
	if got := bare(p.Line(">>>")); !reflect.DeepEqual(got, []Directive{d("relay", "Bob", "one")}) {
		t.Fatalf("at the closing line: %+v", got)
	}
	p.Line("```")
	p.Settle()
	if got := append(p.Line("@deploy:prod x"), p.Settle()...); got != nil {
		t.Fatalf("a pause opened the code fence: %+v", got)
	}
	p.Flush()
	if got := append(p.Line("@deploy:staging go"), p.Settle()...); len(got) != 1 {
		t.Fatalf("Flush left the code fence open: %+v", got)
	}
	p.Line("@relay:Bob see\n  ```")
	if got := p.Settle(); len(got) != 1 {
		t.Fatalf("held directive with code in it: %+v", got)
	}
	if got := append(p.Line("  @deploy:prod x"), p.Settle()...); got != nil {
		t.Fatalf("the code fence of a settled directive was forgotten: %+v", got)
	}
}

func TestFencedBodiesArriveWhole(t *testing.T) {
	for _, n := range []int{35, 500, 5000} {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("%*sline %d of the body, long enough to look real", i%5, "", i))
		}
		body := strings.Join(lines, "\n")
		got := Parse("@relay:Bob <<<\n" + body + "\n>>>\n")
		switch {
		case len(got) != 1:
			t.Errorf("%v: len(got): got %v, want %v", n, len(got), 1)
		case got[0].Body != body:
			t.Errorf("%v: got[0].Body: got %v, want %v", n, got[0].Body, body)
		case got[0].Truncated || got[0].Open:
			t.Errorf("%d lines: got %d directives, body equal: %t", n, len(got), len(got) == 1 && got[0].Body == body)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for _, text := range []string{
		"@relay:Bob <<<\n" + strings.Repeat("sixteen bytes é\n", MaxBody/16) + "more\n>>>",
		"@relay:Bob " + strings.Repeat("é", MaxBody),
	} {
		got := Parse(text)
		if len(got) != 1 {
			t.Fatalf("got %d directives", len(got))
		}
		b := got[0].Body
		switch {
		case !got[0].Truncated || len(b) > MaxBody || len(b) < MaxBody-4:
			t.Errorf("truncated %t, body %d bytes, raw %d", got[0].Truncated, len(b), len(got[0].Raw))
		case len(got[0].Raw) > MaxBody || strings.ToValidUTF8(b, "") != b:
			t.Errorf("truncated %t, body %d bytes, raw %d", got[0].Truncated, len(b), len(got[0].Raw))
		}
	}
}

func TestEscapeWithin(t *testing.T) {
	for text, want := range map[string]string{
		"@relay:x go, @relay:y go":    `\@relay:x go, \@relay:y go`,
		`see \@relay:x go`:            `see \@relay:x go`,
		"see (@broadcast: all), -@a:": `see (\@broadcast: all), -\@a:`,
		"好@relay:x":                   `好\@relay:x`,
		"scp me@host:x /y, 3 @ 4: it": "scp me@host:x /y, 3 @ 4: it",
		"@org/package and @Bob":       "@org/package and @Bob",
		"":                            "",
	} {
		if got := EscapeWithin(text); got != want {
			t.Errorf("EscapeWithin(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	tests := []struct{ text, escaped string }{
		{"@relay:x go", `\@relay:x go`},
		{`\@relay:x go`, `\\@relay:x go`},
		{"  ● @relay:x go", `  ● \@relay:x go`},
		{"plain", "plain"},
		{`\plain`, `\plain`},
		{"me@relay:x", "me@relay:x"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Escape(tt.text); got != tt.escaped {
			t.Errorf("Escape(%q) = %q, want %q", tt.text, got, tt.escaped)
		}
		if got := Unescape(tt.escaped); got != tt.text {
			t.Errorf("Unescape(%q) = %q, want %q", tt.escaped, got, tt.text)
		}
	}
	if got := Unescape("@relay:x"); got != "@relay:x" {
		t.Errorf("Unescape changed an unescaped directive to %q", got)
	}
}

func TestHeldSaysWhetherTheNextLineMayGoOn(t *testing.T) {
	for _, tt := range []struct {
		text, open string
		want       bool
	}{
		{"plain", "", false},
		{"@relay:Bob one", "", true},
		{"@relay:Bob one", "  two", true},
		{"@relay:Bob one", "- two", true},
		{"@relay:Bob one", "  ", true},
		{"@relay:Bob one", "two", false},
		{"@relay:Bob one\n", "  two", false},
		{"│ @relay:Bob one │", "│   two", true},
		{"│ @relay:Bob one │", "    two", false},
		{"@relay:Bob <<<", "", false},
	} {
		var p Parser
		p.Line(tt.text)
		if got := p.Held(tt.open); got != tt.want {
			t.Errorf("after %q, Held(%q) is %v", tt.text, tt.open, got)
		}
	}
}
