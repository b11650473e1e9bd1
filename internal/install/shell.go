package install

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hookway/hookway/internal/shell"
)

// shimName is the program that agents call, without .exe.
const shimName = "hookway-hook"

// commandLine is what an agent runs at an event. Its form must not change from
// version to version: agents that have the user approve hooks ask again for a
// line that differs in one byte.
func commandLine(shim string, args []string) string {
	return shellWord(shim) + " " + strings.Join(args, " ")
}

// arguments are hookway-hook's on its command line.
func arguments(codec, event, timeout, onFailure string) []string {
	args := []string{codec, "--event", event, "--timeout", timeout}
	if onFailure != "" {
		args = append(args, "--on-failure", onFailure)
	}
	return args
}

// slashed is a path with slashes.
func slashed(file string) string {
	if runtime.GOOS == "windows" {
		return filepath.ToSlash(file)
	}
	return file
}

// shellWord writes a path so that a shell reads it back. On Windows that may be
// Git Bash, PowerShell or cmd: slashes and double quotes serve most of them.
func shellWord(file string) string {
	file = slashed(file)
	quoted := shell.Quote(file)
	if quoted != file && runtime.GOOS == "windows" {
		return `"` + file + `"`
	}
	return quoted
}

// shellWords reads a command line as a shell would, as far as the lines that
// hookway writes need it.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	open := false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == '\\' && i+1 < len(runes) && strings.ContainsRune(` '"\$`, runes[i+1]):
			i++
			word.WriteRune(runes[i])
			open = true
		case r == ' ' || r == '\t' || r == '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// invocation is a command line of ours, taken apart.
type invocation struct {
	program string
	line    string // as a shell gets it; "" if there is none
	codec   string
	flags   map[string]string
}

// readCall takes words apart if they call hookway for one of the codecs.
func readCall(words []string, codecs []string) (invocation, bool) {
	if len(words) > 0 && words[0] == "&" { // PowerShell
		words = words[1:]
	}
	if len(words) == 0 {
		return invocation{}, false
	}
	c := invocation{program: words[0], flags: map[string]string{}}
	rest := words[1:]
	switch base := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(words[0], `\`, "/"))), ".exe"); {
	case base == shimName && len(rest) == 0:
		rest = []string{claude.name} // as it is taken there
	case base == shimName:
	case base == "hookway" && len(rest) > 0 && rest[0] == "hook":
		rest = rest[1:]
	default:
		return invocation{}, false
	}
	for _, codec := range codecs {
		if len(rest) > 0 && rest[0] == codec {
			c.codec = codec
		}
	}
	if c.codec == "" {
		return invocation{}, false
	}
	for i := 1; i < len(rest); i++ {
		name, value, joined := strings.Cut(rest[i], "=")
		if !strings.HasPrefix(name, "--") {
			continue
		}
		if !joined && i+1 < len(rest) {
			i++
			value = rest[i]
		}
		c.flags[strings.TrimPrefix(name, "--")] = value
	}
	return c, true
}
