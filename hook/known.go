package hook

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// known is what matchers ask of one event, each worked out once at most. A firing
// has one, and drops it when a hook changes the payload.
type known struct {
	ev      AnyEvent
	head    *Envelope
	element string // of a list, for the test that looks at one after the other
	payload any    // pointer to the payload
	guard   bool   // a guard asks: symbolic links are resolved too, and doubts count

	tool      string
	input     map[string]any
	toolKnown bool

	commands    []commandText
	commandRoom [len(commandKeys)]commandText // for commands, mostly
	commandDone bool

	files   *callFiles // worked out when the first matcher of paths asks
	unclear error      // why a matcher may not hold, since it was cleared
	lenient bool       // such matchers hold: for hooks that did not match for sure

	facts     []Fact // what the call would do, once a matcher asked
	more      error  // why there may be more of them
	factsDone bool
	actsOf    []act // the facts about files
	forms     map[formKey][]form
}

// caller is a payload about a call of a tool.
type caller interface {
	toolCall() (name string, input map[string]any)
}

// toolName is the name of the tool that an event is about, or "".
func toolName(ev AnyEvent) string {
	switch p := ev.pointer().(type) {
	case *ToolUse: // by far the most common: no interface call
		return p.ToolName
	case caller:
		name, _ := p.toolCall()
		return name
	case *map[string]any:
		name, _ := (*p)["tool_name"].(string)
		return name
	}
	return ""
}

// newKnown begins to take an event apart for the matchers of its hooks. An agent's own event
// without a tool_input counts as its own input, so that path and command can match it.
func newKnown(ev AnyEvent) *known {
	k := &known{ev: ev, head: ev.Head(), payload: ev.pointer()}
	switch p := k.payload.(type) {
	case caller:
		k.tool, k.input = p.toolCall()
	case *map[string]any:
		k.tool, _ = (*p)["tool_name"].(string)
		k.input, _ = (*p)["tool_input"].(map[string]any)
		if k.input == nil {
			k.input = *p
		}
	}
	k.toolKnown = k.tool != ""
	return k
}

func (k *known) toolName() (string, bool) { return k.tool, k.toolKnown }

// shellTools are the names, in lower case, under which agents run command lines.
var shellTools = []string{
	"bash", "shell", "sh", "zsh", "powershell", "pwsh", "cmd", "run_shell_command", "exec_command", "execute_command",
	"execute", "exec", "local_shell", "run_command", "run_terminal_cmd", "terminal", "unified_exec", "shell_command",
	"run_in_terminal",
}

// shellNames are shellTools as plainTool spells them, and names of tools that fewer
// agents have.
var shellNames = func() map[string]bool {
	names := map[string]bool{"runterminalcommand": true, "containerexec": true}
	for _, name := range shellTools {
		names[plainTool(name)] = true
	}
	return names
}()

// plainTool is a tool's name without its server, in small letters and no signs.
func plainTool(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return signs.Replace(strings.ToLower(name))
}

// signs are what the names of one tool differ in among agents: run_shell_command, runShellCommand.
var signs = strings.NewReplacer("_", "", "-", "", ".", "")

// IsShellTool reports whether agents, or servers of tools, run command lines by a tool of
// that name, in whatever way it is written.
func IsShellTool(name string) bool { return shellNames[plainTool(name)] }

// IsCommandArgument reports whether shell tools are given a command by an argument of that
// name. Which of several a tool runs is not known, so all of them count.
func IsCommandArgument(key string) bool {
	return slices.ContainsFunc(commandKeys[:], func(known string) bool { return strings.EqualFold(key, known) })
}

// commandKeys are the arguments in which shell tools are given a command. Which
// of several a tool runs is not known here, so all of them count.
var commandKeys = [...]string{"command", "cmd", "script"}

// commandLines are the commands of a shell tool, mostly one. A key in other case
// counts, because some tools read it.
func (k *known) commandLines() []commandText {
	if k.commandDone {
		return k.commands
	}
	k.commandDone = true
	if !k.toolKnown || !slices.Contains(shellTools, strings.ToLower(k.tool)) {
		return nil
	}
	k.commands = k.commandRoom[:0]
	take := func(key string) {
		if text := argumentText(k.input[key]); text != "" {
			k.commands = append(k.commands, commandText{text: text})
		}
	}
	for _, key := range commandKeys {
		take(key)
	}
	if len(k.commands) == len(k.input) {
		return k.commands
	}
	for key := range k.input {
		if !slices.Contains(commandKeys[:], key) && IsCommandArgument(key) {
			take(key)
		}
	}
	return k.commands
}

// argumentText reads a command as a text or, as some agents send it, as a list.
func argumentText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, " ")
	case []any:
		words := make([]string, len(v))
		for i, w := range v {
			words[i] = fmt.Sprint(w)
		}
		return strings.Join(words, " ")
	}
	return ""
}

// commandText is a command, and the same in lower case once it is asked for.
type commandText struct{ text, lower string }

// lowered is the command in lower case. Outside ASCII, folding and lower case
// are not the same thing, so there the answer is: do not rely on it.
func (c *commandText) lowered() (string, bool) {
	if c.lower == "" {
		for i := range len(c.text) {
			if c.text[i] >= utf8.RuneSelf {
				return "", false
			}
		}
		c.lower = strings.ToLower(c.text)
	}
	return c.lower, true
}

// texts is a payload field as text; a list has a text for each element.
func (k *known) texts(name string) []string {
	value, ok := field(k.payload, name)
	if !ok {
		return nil
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		var out []string
		for i := range v.Len() {
			if s, ok := asText(v.Index(i).Interface()); ok {
				out = append(out, s)
			}
		}
		return out
	}
	if s, ok := asText(value); ok {
		return []string{s}
	}
	return nil
}

// text is a payload field as text, by its wire name; dots lead into objects.
func (k *known) text(name string) (string, bool) {
	value, ok := field(k.payload, name)
	if !ok {
		return "", false
	}
	return asText(value)
}

// asText is a value as patterns see it. Objects and lists have no text.
func asText(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case fmt.Stringer: // json.Number
		return v.String(), true
	}
	return fmt.Sprint(value), true
}
