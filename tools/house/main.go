// Command house measures how simple the tree is, by the same rules at any commit:
//
//	go run ./tools/house [-C FOLDER] [-json]
//
// It counts lines of code (no comments, no blank lines), packages, the imports of
// the longest way down, arrows that run back up between the files of a room, the methods of
// the largest type, long files and functions, repeated blocks, the share of
// comments, and the words of the README. It reads only what Go would build here.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	dir := flag.String("C", ".", "the `folder` of the tree")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "house: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	figures, err := measure(*dir)
	if err == nil && *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(figures)
	} else if err == nil {
		for _, f := range figures {
			fmt.Println(strings.TrimRight(fmt.Sprintf("%-44s %8v  %s", f.Name, f.Value, f.Note), " "))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// figure is one number of the tree.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Note  string  `json:"note,omitempty"`
}

func measure(dir string) ([]figure, error) {
	rooms, err := load(dir)
	if err != nil {
		return nil, err
	}
	var figures []figure
	add := func(name string, value int, note string) {
		figures = append(figures, figure{name, float64(value), note})
	}
	lines := map[string]int{}
	for _, r := range rooms {
		for _, f := range r.files {
			lines[f.kind] += f.code
		}
	}
	add("lines of code in the product", lines[product], "")
	add("lines of code in tools, examples and for tests", lines[aside], "")
	add("lines of code in tests", lines[test], "")
	add("packages of the product", count(rooms), "")
	path := longest(rooms)
	add("longest way of imports down", len(path)-1, strings.Join(path, " > "))
	back, worst := arrows(rooms)
	add("arrows back up between files of a room", back, worst)
	methods, of := largestType(rooms)
	add("methods of the largest type", methods, of)
	files := fileSizes(rooms)
	add("lines of the median file", files.median, "")
	add("files over 600 lines", len(files.long), strings.Join(files.long, " "))
	functions, sample := longFunctions(rooms)
	add("functions over 60 lines", functions, sample)
	add("repeated blocks of 5 lines", repeated(rooms), "")
	for _, room := range []string{"", "hook"} {
		figures = append(figures, figure{strings.TrimSpace("comment share in percent " + room), comments(rooms, room), ""})
	}
	add("examples in the docs of packages", examples(rooms), "")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return nil, err
	}
	add("words of the README", len(strings.Fields(string(readme))), "")
	return figures, nil
}
