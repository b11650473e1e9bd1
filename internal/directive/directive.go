// Package directive finds @namespace:target body in the lines that a program
// prints. It is pure: text in, directives out; it knows no terminal and runs
// nothing.
//
// # Grammar
//
// A directive starts at the start of a line; what programs print around their
// text (indentation, list marks, quote marks, box borders, prompt glyphs) does
// not count. blank is a space, a tab, a carriage return or a no-break space;
// char is any rune but a line break.
//
//	directive    = head ( fenced | plain ) .
//	head         = prefix "@" namespace ":" [ target ] .
//	prefix       = { blank | border | glyph | list blank } .
//	border       = "│" | "┃" | "║" | "▎" | "▌" | "▏" | "|" | ">" .
//	glyph        = "⏺" | "●" | "○" | "❯" | "›" | "⎿" | "└" | "╰" | "├" | "✦" | "✻" | "✶" |
//	               "◆" | "◇" | "■" | "▪" | "▶" | "►" | "⏵" | "→" | "»" .
//	list         = "-" | "*" | "+" | "•" | digit [ digit [ digit ] ] ( "." | ")" ) .
//	namespace    = letter { letter | digit | "_" | "-" } .            (* ASCII, at most 64 *)
//	target       = "*" | [ "#" ] name .
//	name         = word { word | "-" | "." | "/" | "@" | ":" } .      (* at most 256 bytes *)
//	word         = unicode letter | unicode mark | unicode digit | "_" .
//
//	plain        = [ blank text ] [ close ] newline { continuation } .
//	continuation = line deeper than the directive | list item below it .
//	fenced       = blank "<<<" ( [ text ] ">>>" | [ text ] newline { line } ">>>" ) newline .
//	close        = border .                                          (* trimmed from the text *)
//	text         = char { char } .
//
// A name does not end in ".", "/", "@" or ":". What follows the target is a
// blank or the end of the line, so @click:open="x" is not a directive. A
// directive with neither target nor body says nothing and is not reported.
//
// A closing border is trimmed when the line opened with one; "│", "┃" and "║"
// are trimmed in any case.
//
// # Bodies of several lines
//
// A line continues a plain body when it has the directive's borders and is
// indented deeper than the directive's line, or is a list item at the same
// depth under a directive that is in no list and after no glyph. An empty
// line, a line that begins with a glyph and the next directive end the body.
// The lines are joined by a newline, without the indentation that the first
// of them has.
//
// A fenced body is every line up to one that holds only >>>, without the
// directive's borders and without the indentation that the @ has. If the
// fence is never closed, the next directive or Flush ends it, and it is
// reported with Open set.
//
// Body and Raw hold at most MaxBody bytes each; what exceeds that is read and
// dropped, and Truncated says so.
//
// # What is not a directive
//
// Text in the middle of a line, so also me@deploy:corp; lines inside a code
// fence (``` or ~~~), until the fence closes or Flush; what stands in
// backticks; a directive after a backslash. \@relay:x stands for the text @relay:x and \\@relay:x for
// \@relay:x: see Escape and Unescape. In bodies one backslash is removed in
// the same way, except inside code fences.
//
// # Lines about the syntax
//
// Agents also print how a directive is written: in help, in plans, in what
// they were given. A line of that form is usage, and no directive:
//
//	usage        = head ( blank placeholder { [ blank ] placeholder } [ note ] | comment )
//	             | head blank your newline                  (* no line continues it *)
//	             | any head with the namespace "namespace"
//	             | any head in a row of a table .
//	placeholder  = "<" letter { letter | digit | " " | any of _-'.,…|/ } ">" | "…" | "..." .
//	your         = ( [ "your" ] content "here" | "your" content ) [ "." ] .    (* in any case, also "goes here" *)
//	content      = "message" | "text" | "content" | "body" | "question" | "query" | "answer" | "reply" | "note" .
//	note         = ( blank ( "#" | "//" | "—" | "–" | "--" | "-" | "→" | "->" | "=>" ) | ":" ) blank text .
//	comment      = blank blank ( "#" | "//" ) blank text | blank ( "—" | "–" | "--" ) blank text .
//
// So @memory:save <what to keep>, @relay:Bob ..., @memory:list — lists them and
//
//	@memory:list                 # List recent memories
//
// say nothing to anybody, while @relay:Bob <b>hi</b>, @relay:Bob # Report and
// @relay:Bob ... and then? do. Quotes, brackets and punctuation around a
// placeholder belong to it; it holds at most 80 bytes and ends neither in a
// blank nor in "/". A row is a line between borders that has such a border,
// between blanks, in its middle. The lines that would continue usage belong to
// it, unless they go on with markup: then <div> was not a placeholder. A body of
// several lines, or between fences, is usage if all of it is placeholders.
//
// The directives in the block of lines below a line that is only Example:,
// Examples:, For example:, E.g., Usage: or Syntax: are usage too. An empty line
// may stand before the block, and another one, or other text, ends it.
//
// Usage does not end a fence or a body; inside of one it is text.
//
// # When a directive is reported
//
// A plain directive may go on in the next line, so the parser holds it until
// a line that does not belong to it, Settle or Flush. A fenced one is
// reported by the line that closes it.
package directive

// MaxBody is the greatest length in bytes of Directive.Body and of
// Directive.Raw.
const MaxBody = 1 << 20

// A Directive is one @namespace:target body found in the text.
type Directive struct {
	Namespace string // as written; never empty
	Target    string // a name, "*", "#channel", or empty
	Body      string // without marks, borders and common indentation; may be empty
	Line      int    // 1-based number of the line it starts in
	Raw       string // the lines it was read from, joined by a newline
	Open      bool   // its fence was never closed
	Truncated bool   // Body or Raw was longer than MaxBody
}

// Parse returns the directives of a whole text.
func Parse(text string) []Directive {
	var p Parser
	return append(p.Line(text), p.Flush()...)
}
