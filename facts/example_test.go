package facts_test

import (
	"fmt"

	"github.com/hookway/hookway/facts"
)

// A line is read with its quotes, variables and nested shells.
func ExampleShell() {
	world := facts.World{Dir: "/home/u/project", Home: "/home/u"}
	for _, f := range facts.Shell(`X=rm; bash -c "$X -rf ~/work"`, world) {
		if f.Does == "delete" {
			fmt.Println(f.By, "deletes", f.Path, "in scope", f.Scope, "recursive:", f.Recursive)
		}
	}
	// Output: rm deletes /home/u/work in scope home recursive: true
}

// A tool's call is read by its arguments.
func ExampleOf() {
	world := facts.World{Dir: "/home/u/project", Home: "/home/u"}
	input := map[string]any{"query": "DELETE FROM users -- WHERE id = 1"}
	for _, f := range facts.Call("mcp__db__query", input, world) {
		fmt.Println(f.Does, f.Verb, f.Object, "bounded:", f.Bounded)
	}
	// Output: sql delete users bounded: false
}

// Only the kind and the place of a credential are told.
func ExampleCredentials() {
	text := "key = \"" + "AKIA" + "QX7RT5ZWPL4NMB2V" + "\""
	for _, c := range facts.Credentials(text) {
		fmt.Println(c.Kind, c.At.From, c.At.To)
	}
	// Output: aws access key 7 27
}

// A text can be shown to somebody who must not see what is in it.
func ExampleMask() {
	fmt.Println(facts.Mask("deploy with " + "glpat-" + "k3JQz9vT1mXw5RbYc8Ls"))
	// Output: deploy with [secret: gitlab token]
}

// A redactor takes out more than a mask does, and what is given to names of one's own.
func ExampleRedactor() {
	r := facts.NewRedactor([]string{"ssn"})
	fmt.Println(r.Text("psql --password hunter2 -c \"… where ssn=123\""))
	// Output: psql --password [redacted] -c "… where ssn=[redacted]"
}
