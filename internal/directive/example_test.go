package directive_test

import (
	"fmt"

	"github.com/hookway/hookway/internal/directive"
)

func ExampleParser() {
	var p directive.Parser
	for _, line := range []string{
		"● I am done with the first part.",
		"● @relay:Bob please review:",
		"  - the parser",
		"  - its tests",
		"",
		"  Write \\@relay:Bob to speak of it.",
		"@deploy:staging Release v1.2.3",
	} {
		for _, d := range p.Line(line) {
			fmt.Printf("line %d: %s to %s: %q\n", d.Line, d.Namespace, d.Target, d.Body)
		}
	}
	// The output has paused, so the last line is complete.
	for _, d := range p.Settle() {
		fmt.Printf("line %d: %s to %s: %q\n", d.Line, d.Namespace, d.Target, d.Body)
	}
	// Output:
	// line 2: relay to Bob: "please review:\n- the parser\n- its tests"
	// line 7: deploy to staging: "Release v1.2.3"
}

func ExampleEscape() {
	fmt.Println(directive.Escape("@relay:Bob hi"))
	fmt.Println(directive.Unescape(`\@relay:Bob hi`))
	// Output:
	// \@relay:Bob hi
	// @relay:Bob hi
}
