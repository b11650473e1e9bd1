package guards

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// Example is a session in words: what an agent calls, one call a line, what came back,
// and what else happened. Rules over sessions have such examples.
//
//	$ npm test               a shell line
//	Read /p/a.go             a tool, with the path, the address or the JSON of its input
//	> ok                     what the call before gave; more lines add to it
//	! not found              what it gave when it failed
//	no                       a person refused the call before
//	user: go on              a person said something
//	file /p/a.sh: echo hi    what lies on the disk from here on; \n is a new line
//	x15                      the call before is made so often in all
//	+90s                     this much time passes
//	repeat 6                 all lines below are played so often; {n} is the number of the round
//	budget 10 calls          what the session may use
type Example struct {
	Dir, Home string

	Policy *Policy

	state  State
	files  map[string]string
	now    time.Time
	budget Budget
	made   int
	last   *step
	round  int
}

// step is a call of an example.
type step struct {
	use    hook.ToolUse
	out    string
	failed bool
	times  int
	done   bool
}

// Play plays a session, and gives what was found at each call.
func (x *Example) Play(text string) ([]Judged, error) {
	x.now, x.files = time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), map[string]string{}
	x.state.ReadFile = x.read
	lines, rounds := strings.Split(strings.TrimRight(text, "\n"), "\n"), 1
	var found []Judged
	for i := 0; i < len(lines); i++ {
		if n, ok := strings.CutPrefix(lines[i], "repeat "); ok {
			more, err := x.lines(lines[:i])
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
			if rounds, err = strconv.Atoi(n); err != nil {
				return nil, fmt.Errorf("line %d: want repeat and a number, not %q", i+1, lines[i])
			}
			lines = lines[i+1:]
			break
		}
	}
	for x.round = 1; x.round <= rounds; x.round++ {
		more, err := x.lines(lines)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

func (x *Example) lines(lines []string) (found []Judged, err error) {
	for i, l := range lines {
		more, err := x.line(strings.ReplaceAll(l, "{n}", strconv.Itoa(x.round)))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		found = append(found, more...)
	}
	return append(found, x.end()...), nil
}

// line reads one line. A call is made when the line after those about it is read.
func (x *Example) line(l string) ([]Judged, error) {
	if strings.TrimSpace(l) == "" {
		return nil, nil
	}
	if x.last != nil {
		switch {
		case strings.HasPrefix(l, ">"), strings.HasPrefix(l, "!"):
			x.last.out += strings.TrimPrefix(l[1:], " ") + "\n"
			x.last.failed = x.last.failed || l[0] == '!'
			return nil, nil
		case l[0] == 'x' && len(l) > 1 && l[1] >= '1' && l[1] <= '9':
			n, err := strconv.Atoi(l[1:])
			x.last.times = n
			return nil, err
		case l == "no":
			return x.refuse(), nil
		}
	}
	found := x.end()
	word, rest, _ := strings.Cut(l, " ")
	switch {
	case word == "user:":
		x.state.After(hook.AgentStart.New(x.head(), hook.AgentRun{Prompt: rest}), Seen{})
	case word == "file":
		name, text, _ := strings.Cut(rest, ":")
		x.files[name] = strings.ReplaceAll(strings.TrimPrefix(text, " "), `\n`, "\n")
	case word == "budget":
		return found, x.limit(rest)
	case l[0] == '+':
		d, err := time.ParseDuration(l[1:])
		x.now = x.now.Add(d)
		return found, err
	default:
		use, err := call(word, rest)
		x.last = &step{use: use, times: 1}
		return found, err
	}
	return found, nil
}

func (x *Example) limit(s string) error {
	number, what, _ := strings.Cut(s, " ")
	n, err := ParseCount(number)
	switch what {
	case "calls":
		x.budget.Calls = int(n)
	case "minutes":
		x.budget.Minutes = int(n)
	case "tokens":
		x.budget.Tokens = n
	default:
		return fmt.Errorf("want budget, a number, and calls, minutes or tokens, not %q", s)
	}
	return err
}

// call reads the call of a tool.
func call(tool, rest string) (hook.ToolUse, error) {
	use := hook.ToolUse{ToolName: tool}
	switch {
	case tool == "$":
		use.ToolName, use.ToolInput = "Bash", map[string]any{"command": rest}
	case strings.HasPrefix(rest, "{"):
		if err := json.Unmarshal([]byte(rest), &use.ToolInput); err != nil {
			return use, fmt.Errorf("the input of %s is not JSON: %w", tool, err)
		}
	case strings.HasPrefix(rest, "/"):
		name, text, _ := strings.Cut(rest, ": ")
		use.ToolInput = map[string]any{"file_path": name, "content": text}
	case strings.Contains(rest, "://"):
		use.ToolInput = map[string]any{"url": rest}
	default:
		use.ToolInput = map[string]any{"query": rest}
	}
	return use, nil
}

func (x *Example) head() hook.Envelope {
	return hook.Envelope{Session: "example", Agent: "agent", CWD: x.Dir, Mark: &hook.Mark{ID: hook.ID{byte(x.made >> 8), byte(x.made), 1}, Time: x.now}}
}

// end makes the call that was read.
func (x *Example) end() (found []Judged) {
	if x.last == nil || x.last.done {
		return nil
	}
	x.last.done = true
	for range x.last.times {
		more, stopped := x.before(x.last)
		found = append(found, more...)
		if !stopped {
			x.after(x.last)
		}
		x.now = x.now.Add(time.Second)
	}
	return found
}

// before makes a call as far as rules let it.
func (x *Example) before(s *step) (found []Judged, stopped bool) {
	x.made++
	s.use.ToolUseID = strconv.Itoa(x.made)
	ev := hook.PreToolUse.New(x.head(), s.use)
	fs := facts.Call(s.use.ToolName, s.use.ToolInput, x.world())
	found = x.Policy.Judge(append(fs[:len(fs):len(fs)], x.state.Before(ev, fs, x.budget)...))
	stopped = len(found) > 0 && found[0].Counts && found[0].Verdict == Block
	x.state.Decided(ev, fs, found, stopped)
	return found, stopped
}

// after gives a call its result.
func (x *Example) after(s *step) {
	if name, _ := s.use.ToolInput["file_path"].(string); name != "" && (s.use.ToolName == "Write" || s.use.ToolName == "Edit") {
		text, _ := s.use.ToolInput["content"].(string)
		x.files[name] = text
		if text == "" {
			x.files[name] = strconv.Itoa(x.made) // something else than before
		}
	}
	in := Inspect(s.out)
	x.state.After(hook.PostToolUse.New(x.head(), hook.ToolResult{ToolUse: s.use, ToolResponse: hook.ToolResponse{Success: !s.failed, Output: s.out}}), Seen{Orders: in.Orders})
}

// refuse has a person refuse the call that was read.
func (x *Example) refuse() []Judged {
	s := x.last
	x.last = nil
	found, stopped := x.before(s)
	if !stopped {
		x.state.After(hook.PermissionDenied.New(x.head(), hook.Permission{ToolName: s.use.ToolName, ToolInput: s.use.ToolInput, ToolUseID: s.use.ToolUseID}), Seen{})
	}
	return found
}

// world is the disk of an example: the files that it names.
func (x *Example) world() facts.World {
	return facts.World{Dir: x.Dir, Home: x.Home, Env: map[string]string{"HOME": x.Home, "PATH": "/usr/bin:/bin"}, ReadFile: x.read}
}

func (x *Example) read(name string, most int) ([]byte, error) {
	text, ok := x.files[path.Clean(name)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if len(text) > most {
		return nil, disk.ErrTooBig
	}
	return []byte(text), nil
}

// Try reports whether a rule holds for one of its examples, as the pack says what they
// are. Shell lines are read in the world.
func (p *Pack) Try(r *Rule, example string, w facts.World) (holds bool, err error) {
	policy := &Policy{Packs: []string{p.Name}, Mode: Enforce}
	var judged []Judged
	switch p.Judges {
	case "": // the pack may be one that is not built in
		found := facts.Shell(example, w)
		return slices.ContainsFunc(found, func(f hook.Fact) bool { return policy.holds(p, r, &f) }), nil
	case "results":
		in := Inspect(example)
		judged = policy.Judge(in.Facts("a tool"))
	case "sessions":
		policy.Packs = Names()
		judged, err = (&Example{Dir: w.Dir, Home: w.Home, Policy: policy}).Play(example)
	}
	return slices.ContainsFunc(judged, func(j Judged) bool { return j.Rule == r }), err
}
