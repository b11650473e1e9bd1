package claudehooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/patch"
	"github.com/hookway/hookway/internal/shell"
)

// patchTool is the tool with which some models change files, by its own name. It
// reaches the engine as one Edit of all its files.
const patchTool = "apply_patch"

// maxDeleted bounds a file that a patch deletes, of which a hook is told what it held.
const maxDeleted = 1 << 20

// PerFile asks a hook of Claude Code about each file of a patch, as Claude Code would
// about a Write or an Edit of it, and puts what the hook changes back into the patch.
type PerFile struct {
	Next  hook.Handler
	Finds func(tool string) bool // whether a tool concerns the hook; nil: all do
}

// Handle asks about an event, or about each file of a patch.
func (h PerFile) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	call, ok := hook.CallOf(ev)
	if !isPatch(ev) {
		if ok && h.Finds != nil && !slices.ContainsFunc(namesOf(call.Name), h.Finds) {
			return hook.Decision{}, nil // it is asked about patches only
		}
		return h.Next.Handle(ctx, ev)
	}
	field, text := patchField(call.Input)
	p, err := patch.Parse(text)
	if err != nil {
		if h.Finds == nil {
			return h.Next.Handle(ctx, ev)
		}
		return hook.Block(fmt.Sprintf("The patch cannot be read (%v), so it is not known which files it writes; write it as the tool's description says", err)), nil
	}
	calls := fileCalls(p, ev.Head().CWD)
	var answers []hook.Decision
	var errs []error
	for i := range calls {
		c := &calls[i]
		if h.Finds != nil && !h.Finds(c.tool) && (c.input["edits"] == nil || !h.Finds("MultiEdit")) {
			continue
		}
		one, err := c.event(ev, call.Input)
		if err != nil {
			return hook.Decision{}, err
		}
		d, err := h.Next.Handle(ctx, one)
		if err == nil {
			err = c.take(&d, p)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		answers = append(answers, d)
	}
	d := joined(answers)
	if err := errors.Join(errs...); err != nil && d.Action != hook.ActionBlock {
		return hook.Decision{}, err
	}
	return d, putBack(&d, ev, calls, field, p)
}

// isPatch reports whether an event is about a patch.
func isPatch(ev hook.AnyEvent) bool {
	call, ok := hook.CallOf(ev)
	return ok && call.Name == "Edit" && ev.Head().NativeTool() == patchTool
}

// patchField is the argument that has the patch.
func patchField(input map[string]any) (name, text string) {
	for _, name := range slices.Sorted(maps.Keys(input)) {
		if text, ok := input[name].(string); ok && strings.Contains(text, "*** Begin Patch") {
			return name, text
		}
	}
	return "", ""
}

// fileCall is one file of a patch as the call of a tool.
type fileCall struct {
	tool    string
	file    int  // in the patch
	to      bool // it is where the file goes
	input   map[string]any
	changed bool
}

// fileCalls makes the calls of a patch's files, in its order. A file that moves is an
// Edit where it was, and a Write where it goes.
func fileCalls(p *patch.Patch, cwd string) []fileCall {
	var out []fileCall
	for i, f := range p.Files {
		path := absolute(cwd, f.Path)
		switch f.Kind {
		case patch.Add:
			out = append(out, fileCall{tool: "Write", file: i, input: map[string]any{"file_path": path, "content": withEnd(f.Lines)}})
			continue
		case patch.Delete:
			old, _ := disk.Read(path, maxDeleted) // what is not there cannot be told
			out = append(out, fileCall{tool: "Edit", file: i, input: map[string]any{"file_path": path, "old_string": string(old), "new_string": ""}})
			continue
		}
		var old, now []string
		var edits []any
		for _, h := range f.Hunks {
			o, n := strings.Join(h.Old, "\n"), strings.Join(h.New, "\n")
			old, now, edits = append(old, o), append(now, n), append(edits, map[string]any{"old_string": o, "new_string": n})
		}
		input := map[string]any{"file_path": path, "old_string": strings.Join(old, "\n"), "new_string": strings.Join(now, "\n"), "replace_all": false}
		if len(edits) > 1 {
			input["edits"] = edits
		}
		out = append(out, fileCall{tool: "Edit", file: i, input: input})
		if f.Move != "" {
			out = append(out, fileCall{tool: "Write", file: i, to: true, input: map[string]any{"file_path": absolute(cwd, f.Move), "content": strings.Join(now, "\n")}})
		}
	}
	return out
}

// absolute is a path of a patch as Claude Code writes paths.
func absolute(cwd, path string) string {
	if cwd == "" {
		return path
	}
	return shell.Under(cwd, path)
}

// withEnd are lines as a text; each has its end.
func withEnd(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// event is the patch's event, about this file alone.
func (c *fileCall) event(ev hook.AnyEvent, whole map[string]any) (hook.AnyEvent, error) {
	input := maps.Clone(whole)
	maps.Copy(input, c.input)
	env := *ev.Head()
	env.Metadata = maps.Clone(env.Metadata)
	delete(env.Metadata, "native") // its fields would stand beside
	var body any
	switch p := ev.Body().(type) {
	case hook.ToolUse:
		p.ToolName, p.ToolInput = c.tool, input
		body = p
	case hook.ToolResult:
		p.ToolName, p.ToolInput = c.tool, input
		body = p
	case hook.Permission:
		p.ToolName, p.ToolInput = c.tool, input
		body = p
	case hook.ToolFailure:
		p.ToolName, p.ToolInput = c.tool, input
		body = p
	default:
		return ev, nil
	}
	return ev.Info().New(env, body)
}

// take puts what a hook changed of a file into the patch.
func (c *fileCall) take(d *hook.Decision, p *patch.Patch) error {
	changed, ok := d.Modified.(hook.ToolUse)
	if !ok {
		return nil
	}
	text := func(key string) (now string, differs bool) {
		was, _ := c.input[key].(string)
		now, is := changed.ToolInput[key].(string)
		return now, is && now != was
	}
	f := &p.Files[c.file]
	if path, differs := text("file_path"); differs {
		if c.changed = true; c.to {
			f.Move = path
		} else {
			f.Path = path
		}
	}
	if content, differs := text("content"); differs {
		if c.to {
			return errors.New("it changed what a file that is moved will hold, which a patch cannot say; change the edit instead")
		}
		f.Lines, c.changed = strings.Split(strings.TrimSuffix(content, "\n"), "\n"), true
	}
	old, oldDiffers := text("old_string")
	now, newDiffers := text("new_string")
	switch {
	case !oldDiffers && !newDiffers:
	case f.Kind != patch.Update || len(f.Hunks) != 1:
		return errors.New("it changed an edit of several places, or of a file that is deleted, which cannot be put back into the patch")
	default:
		if !oldDiffers {
			old = c.input["old_string"].(string)
		}
		if !newDiffers {
			now = c.input["new_string"].(string)
		}
		f.Hunks[0].Set(strings.Split(old, "\n"), strings.Split(now, "\n"))
		c.changed = true
	}
	return nil
}

// fileStrength orders what a hook says of several files.
var fileStrength = map[hook.Action]int{hook.ActionAllow: -1, hook.ActionAsk: 1, hook.ActionAnswer: 2, hook.ActionRetry: 3, hook.ActionBlock: 4}

// joined is what a hook says of all files: the strongest answer, and of approvals
// one only if it approves of all.
func joined(answers []hook.Decision) hook.Decision {
	var out hook.Decision
	for i, d := range answers {
		if i == 0 || fileStrength[d.Action] > fileStrength[out.Action] {
			out.Action, out.Reason, out.Result, out.RetryDelay, out.Note = d.Action, d.Reason, d.Result, d.RetryDelay, d.Note
		}
		out.Inject = paragraphs(out.Inject, d.Inject, "\n\n")
		out.UserMessage = paragraphs(out.UserMessage, d.UserMessage, "\n")
		if out.Metadata == nil && len(d.Metadata) > 0 {
			out.Metadata = map[string]any{}
		}
		maps.Copy(out.Metadata, d.Metadata)
		if _, isCall := d.Modified.(hook.ToolUse); d.Modified != nil && !isCall {
			out.Modified = d.Modified
		}
	}
	return out
}

func paragraphs(a, b, between string) string {
	if a == "" || b == "" || a == b {
		return a + strings.TrimPrefix(b, a)
	}
	return a + between + b
}

// putBack makes the changed patch the call's.
func putBack(d *hook.Decision, ev hook.AnyEvent, calls []fileCall, field string, p *patch.Patch) error {
	use, ok := ev.Body().(hook.ToolUse)
	if result, is := d.Modified.(hook.ToolResult); is { // the response alone is the hook's to change
		whole := ev.Body().(hook.ToolResult)
		whole.ToolResponse = result.ToolResponse
		d.Modified = whole
	}
	if !ok || !slices.ContainsFunc(calls, func(c fileCall) bool { return c.changed }) {
		return nil
	}
	again, err := patch.Parse(p.String())
	if err != nil {
		return fmt.Errorf("what it changed makes no patch: %w", err)
	}
	files := []any{}
	for _, path := range again.Paths() {
		files = append(files, path)
	}
	use = use.WithInput(field, p.String()).WithInput("file_paths", files).WithInput("file_path", files[0])
	d.Modified = use
	return nil
}

// WithPatches has a matcher of tools that write files see patches, too: see perFile.
func WithPatches(tools []string) []string {
	if slices.ContainsFunc(tools, isFileTool) && !slices.Contains(tools, "Edit") {
		return append(slices.Clone(tools), "Edit")
	}
	return tools
}

func isFileTool(glob string) bool {
	m := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*") + "$")
	return m.MatchString("Write") || m.MatchString("MultiEdit")
}

// Finder tells the tools of a matcher; nil: it names none.
func Finder(tools []string) func(string) bool {
	if len(tools) == 0 {
		return nil
	}
	var all []string
	for _, glob := range tools {
		all = append(all, strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*"))
	}
	return regexp.MustCompile("^(?:" + strings.Join(all, "|") + ")$").MatchString
}
