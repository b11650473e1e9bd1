package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// psWord is a word of PowerShell.
type psWord struct {
	text   string
	quoted bool
	block  bool // { … }
	sub    bool // ( … ) or $( … )
	at     int
}

// psCommand is one command of a pipeline.
type psCommand struct {
	words  []psWord
	to     []psWord // what is written by > and >>
	piped  bool     // the command before it feeds this one
	called bool     // by the call operator
	from   int
	end    int
}

// psCommands takes a text apart: commands by ; | & && || and lines, words by blanks.
func psCommands(src string) []psCommand {
	var out []psCommand
	cur := psCommand{}
	toNext := false
	end := func(i int, piped bool) {
		cur.end = i
		if len(cur.words) > 0 || len(cur.to) > 0 {
			out = append(out, cur)
		}
		cur = psCommand{piped: piped, from: i + 1}
	}
	add := func(w psWord) {
		if toNext {
			cur.to = append(cur.to, w)
			toNext = false
			return
		}
		if len(cur.words) == 0 {
			cur.from = w.at
		}
		cur.words = append(cur.words, w)
	}
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n' || c == ';':
			end(i, false)
			i++
		case c == '|':
			if i+1 < len(src) && src[i+1] == '|' {
				end(i, false)
				i += 2
				continue
			}
			end(i, true)
			i++
		case c == '&' && i+1 < len(src) && src[i+1] == '&':
			end(i, false)
			i += 2
		case c == '&': // the call operator: what follows is a command, also in quotes
			cur.called = true
			i++
		case c == '<' && strings.HasPrefix(src[i:], "<#"):
			j := strings.Index(src[i:], "#>")
			if j < 0 {
				j = len(src) - i - 2
			}
			i += j + 2
		case c == '#':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '`' && i+1 < len(src) && src[i+1] == '\n':
			i += 2
		case c <= ' ':
			i++
		case c == '>' || (c == '1' || c == '2' || c == '*') && i+1 < len(src) && src[i+1] == '>':
			for i < len(src) && (src[i] == '>' || src[i] >= '0' && src[i] <= '9' || src[i] == '*') {
				i++
			}
			if i < len(src) && src[i] == '&' {
				i += min(2, len(src)-i)
				continue
			}
			toNext = true
		default:
			w, n := psRead(src[i:])
			w.at = i
			add(w)
			i += max(n, 1)
		}
	}
	end(len(src), false)
	return out
}

// psRead reads one word.
func psRead(s string) (psWord, int) {
	switch {
	case strings.HasPrefix(s, "@'") || strings.HasPrefix(s, `@"`):
		if j := strings.Index(s, "\n"+s[1:2]+"@"); j > 0 {
			return psWord{text: strings.TrimPrefix(s[2:j], "\n"), quoted: true}, j + 3
		}
	case s[0] == '{' || s[0] == '(' || strings.HasPrefix(s, "$(") || strings.HasPrefix(s, "@(") || strings.HasPrefix(s, "@{"):
		skip := 0
		if s[0] == '$' || s[0] == '@' {
			skip = 1
		}
		n := psBracket(s[skip:])
		return psWord{text: s[skip+1 : max(skip+1, skip+n-1)], block: s[skip] == '{', sub: s[skip] == '('}, skip + n
	}
	var b strings.Builder
	w := psWord{}
	i := 0
	for i < len(s) {
		c := s[i]
		switch {
		case c == '\'':
			w.quoted = true
			i++
			for i < len(s) {
				if s[i] == '\'' {
					if i+1 < len(s) && s[i+1] == '\'' {
						b.WriteByte('\'')
						i += 2
						continue
					}
					break
				}
				b.WriteByte(s[i])
				i++
			}
			i++
		case c == '"':
			w.quoted = true
			i++
			for i < len(s) && s[i] != '"' {
				if s[i] == '`' && i+1 < len(s) {
					i++
				}
				if strings.HasPrefix(s[i:], "$(") {
					n := psBracket(s[i+1:])
					b.WriteRune(hole)
					i += 1 + n
					continue
				}
				b.WriteByte(s[i])
				i++
			}
			i++
		case c == '`' && i+1 < len(s):
			b.WriteByte(s[i+1])
			i += 2
		case c == '(' || c == '{' && i > 0: // .Method(…), or a block that follows at once
			n := psBracket(s[i:])
			b.WriteString(s[i : i+n])
			i += n
		case c <= ' ' || strings.IndexByte(";|}>)", c) >= 0 || c == '&' && i > 0:
			w.text = b.String()
			return w, max(i, 1)
		default:
			b.WriteByte(c)
			i++
		}
	}
	w.text = b.String()
	return w, len(s)
}

// psBracket gives the length of a bracket with all that it holds.
func psBracket(s string) int {
	depth, quote := 0, byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// psAliases are names of cmdlets, by their aliases.
var psAliases = map[string]string{
	"rm": "remove-item", "del": "remove-item", "ri": "remove-item", "rd": "remove-item", "rmdir": "remove-item", "erase": "remove-item",
	"mv": "move-item", "mi": "move-item", "move": "move-item", "ren": "rename-item", "rni": "rename-item", "cp": "copy-item", "copy": "copy-item", "cpi": "copy-item",
	"cat": "get-content", "gc": "get-content", "type": "get-content", "sc": "set-content", "ac": "add-content", "clc": "clear-content",
	"ls": "get-childitem", "dir": "get-childitem", "gci": "get-childitem", "cd": "set-location", "sl": "set-location", "chdir": "set-location", "pushd": "set-location",
	"iwr": "invoke-webrequest", "curl": "invoke-webrequest", "wget": "invoke-webrequest", "irm": "invoke-restmethod", "iex": "invoke-expression", "gps": "get-process", "ps": "get-process", "gi": "get-item", "sp": "set-itemproperty", "notepad": "set-content", "icm": "invoke-command",
	"kill": "stop-process", "spps": "stop-process", "start": "start-process", "saps": "start-process", "echo": "write-output", "write": "write-output",
	"foreach": "foreach-object", "%": "foreach-object", "?": "where-object", "where": "where-object", "ni": "new-item", "md": "new-item", "mkdir": "new-item", "tee": "tee-object", "sls": "select-string", "select": "select-object", "sort": "sort-object",
}

// psCall is a cmdlet with its parameters.
type psCall struct {
	*shell
	name     string
	at       hook.Span
	fed      values
	operands []psWord
	named    map[string]psWord
	flags    []string
}

// psValued are parameters that take a value; others are switches.
var psValued = []string{"-path", "-literalpath", "-pspath", "-destination", "-filter", "-include", "-exclude", "-value", "-filepath", "-uri", "-outfile", "-method", "-body", "-infile", "-name", "-id", "-command", "-encodedcommand", "-file", "-argumentlist", "-newname", "-itemtype", "-encoding", "-scriptblock", "-computername", "-headers", "-driveletter", "-number", "-executionpolicy", "-scope", "-depth", "-inputobject", "-process", "-property", "-pattern", "-first", "-last", "-credential", "-verb", "-filterscript", "-erroraction", "-ea", "-target", "-query", "-serverinstance", "-database", "-inputfile", "-destinationpath", "-namespace"}

func (p *psCall) read(words []psWord) {
	p.named = map[string]psWord{}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.quoted || w.block || w.sub || len(w.text) < 2 || w.text[0] != '-' {
			p.operands = append(p.operands, w)
			continue
		}
		name, val, has := strings.Cut(strings.ToLower(w.text), ":")
		full := name
		for _, v := range psValued {
			if strings.HasPrefix(v, name) && len(name) > 1 {
				full = v
				break
			}
		}
		if has {
			w.text = w.text[len(name)+1:]
			p.named[full] = w
			if val != "$false" {
				p.flags = append(p.flags, name)
			}
			continue
		}
		if slices.Contains(psValued, full) && !psSwitch(p.name, name) && i+1 < len(words) {
			i++
			p.named[full] = words[i]
			continue
		}
		p.flags = append(p.flags, name)
	}
}

// psSwitch tells switches from parameters that begin with the same letters.
func psSwitch(cmdlet, name string) bool {
	return name == "-f" || name == "-fo" || name == "-force" || strings.HasPrefix("-recurse", name) && name != "-" || name == "-confirm" || name == "-whatif" || name == "-wait" || name == "-noprofile" || name == "-nop" || name == "-noexit" || name == "-noninteractive" || name == "-passthru" || name == "-nologo"
}

func (p *psCall) flag(full string) bool {
	return slices.ContainsFunc(p.flags, func(f string) bool { return len(f) > 1 && strings.HasPrefix(full, f) })
}

// paths are what the parameter for paths, or the first operand, names.
func (p *psCall) paths() []psWord {
	for _, name := range []string{"-literalpath", "-path", "-pspath", "-filepath"} {
		if w, ok := p.named[name]; ok {
			return []psWord{w}
		}
	}
	if len(p.operands) > 0 {
		return p.operands[:1]
	}
	var out []psWord
	for _, v := range p.fed {
		out = append(out, psWord{text: v.text, quoted: true})
	}
	return out
}
