package guards

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// Row is one line of a corpus: a call, and what rules should make of it. In a file it
// is a line of JSON.
type Row struct {
	Command string         `json:"command,omitempty"`
	Shell   string         `json:"shell,omitempty"` // who reads the command: "" is sh; powershell or cmd
	Tool    string         `json:"tool,omitempty"`  // with Input, in place of Command
	Input   map[string]any `json:"input,omitempty"`
	Dir     string         `json:"cwd,omitempty"`  // where it is called; "" is the project
	Expect  string         `json:"expect"`         // block or ask, which are dangerous, or pass, which is safe
	Mode    string         `json:"mode,omitempty"` // strict: of those who are told to be so

	Line int `json:"-"` // in its file, from 1
}

// Facts are what the call would do in a world. The row's folder goes before the world's.
func (r *Row) Facts(w facts.World) []hook.Fact {
	if strings.HasPrefix(r.Dir, "/") {
		w.Dir = r.Dir
	}
	switch {
	case r.Tool != "":
		return facts.Call(r.Tool, r.Input, w)
	case r.Shell == "powershell":
		return facts.PowerShell(r.Command, w)
	case r.Shell == "cmd":
		return facts.Cmd(r.Command, w)
	}
	return facts.Shell(r.Command, w)
}

// Text is the call as a line for people.
func (r *Row) Text() string {
	if r.Tool == "" {
		return r.Command
	}
	in, err := json.Marshal(r.Input)
	if err != nil { // it came from JSON
		return r.Tool
	}
	return r.Tool + " " + string(in)
}

// Safe reports whether no rule should stop the call.
func (r *Row) Safe() bool { return r.Expect == "pass" }

// Policy is the one that judges the row, in mode enforce.
func (r *Row) Policy() *Policy {
	if r.Mode == "strict" {
		return strict()
	}
	return everything()
}

var everything, strict = sync.OnceValue(Everything), sync.OnceValue(Strict)

// check completes a row that was read.
func (r *Row) check(hasCommand bool) error {
	switch r.Expect {
	case "allow":
		r.Expect = "pass"
	case "block", "ask", "pass":
	case "":
		return errors.New(`it does not say what is expected: add "expect": block, ask or pass`)
	default:
		return fmt.Errorf("invalid expect %q: want block, ask or pass", r.Expect)
	}
	switch r.Shell {
	case "posix", "sh", "bash", "zsh":
		r.Shell = ""
	case "", "powershell", "cmd":
	default:
		return fmt.Errorf("invalid shell %q: want sh, powershell or cmd", r.Shell)
	}
	if hasCommand == (r.Tool != "") {
		return errors.New(`it has no one call: add "command", or "tool" and "input"`)
	}
	return nil
}

// maxRow bounds one line of a corpus.
const maxRow = 4 << 20

// ReadRows reads a corpus. An error names the line. Empty lines are passed over.
func ReadRows(name string, from io.Reader) ([]Row, error) {
	var rows []Row
	sc := bufio.NewScanner(from)
	sc.Buffer(nil, maxRow)
	n := 1
	for ; sc.Scan(); n++ {
		line := strings.TrimPrefix(sc.Text(), "\ufeff")
		if strings.TrimSpace(line) == "" {
			continue
		}
		r, there := Row{Line: n}, map[string]any{}
		if err := errors.Join(json.Unmarshal([]byte(line), &r), json.Unmarshal([]byte(line), &there)); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			return nil, fmt.Errorf("%s:%d: not a JSON object with command and expect: %s", name, n, first)
		}
		_, has := there["command"]
		if err := r.check(has); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		rows = append(rows, r)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: the line cannot be read: %w", name, n, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows; a row is a line such as {\"command\": \"rm -rf ~\", \"expect\": \"block\"}", name)
	}
	return rows, nil
}

//go:embed testdata/corpus/*.jsonl
var corpora embed.FS

// Corpus is labelled calls.
type Corpus struct {
	Name string
	Rows []Row
}

// Corpora are hookway's own, in the order of their names.
func Corpora() ([]Corpus, error) {
	names, err := fs.Glob(corpora, "testdata/corpus/*.jsonl")
	if err != nil {
		return nil, err
	}
	var all []Corpus
	for _, name := range names {
		f, err := corpora.Open(name)
		if err != nil {
			return nil, err
		}
		rows, err := ReadRows(path.Base(name), f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		all = append(all, Corpus{strings.TrimSuffix(path.Base(name), ".jsonl"), rows})
	}
	return all, nil
}

// CorpusWorld is the machine that calls of a corpus are made on: nothing is known of its
// files. The project is /home/u/project.
func CorpusWorld() facts.World {
	return facts.World{Dir: "/home/u/project", Home: "/home/u", Env: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin"}}
}
