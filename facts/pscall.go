package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// psCall is a cmdlet with its parameters.
type psCall struct {
	*shell
	name     string
	at       hook.Span
	fed      values
	operands []psWord
	named    map[string]psWord
	flags    []string
	program  bool // it is none of PowerShell's own
}

// psValued are parameters that take a value; others are switches.
var psValued = []string{"-path", "-literalpath", "-pspath", "-destination", "-filter", "-include", "-exclude", "-value", "-filepath", "-uri", "-outfile", "-method", "-body", "-infile", "-name", "-id", "-command", "-encodedcommand", "-file", "-argumentlist", "-newname", "-itemtype", "-encoding", "-scriptblock", "-computername", "-headers", "-driveletter", "-number", "-executionpolicy", "-scope", "-depth", "-inputobject", "-process", "-property", "-pattern", "-first", "-last", "-credential", "-verb", "-filterscript", "-erroraction", "-ea", "-target", "-query", "-serverinstance", "-database", "-inputfile", "-destinationpath", "-namespace", "-port", "-targetname", "-hostname", "-server", "-smtpserver", "-connectionstring", "-proxy", "-typename", "-attachments", "-to", "-from", "-subject", "-root", "-session", "-cimsession", "-count", "-type"}

func (p *psCall) read(words []psWord) {
	p.named = map[string]psWord{}
	words = p.splatted(words)
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.quoted || w.block || w.sub || len(w.text) < 2 || w.text[0] != '-' {
			p.operands = append(p.operands, w)
			continue
		}
		name, val, has := strings.Cut(w.text, ":") // small letters may be longer than the others
		name = strings.ToLower(name)
		full := name
		for _, v := range psValued {
			if strings.HasPrefix(v, name) && len(name) > 1 {
				full = v
				break
			}
		}
		if has {
			w.text = val
			p.named[full] = w
			if !strings.EqualFold(val, "$false") {
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

// psAliases are names of cmdlets, by their aliases.
var psAliases = map[string]string{
	"rm": "remove-item", "del": "remove-item", "ri": "remove-item", "rd": "remove-item", "rmdir": "remove-item", "erase": "remove-item",
	"mv": "move-item", "mi": "move-item", "move": "move-item", "ren": "rename-item", "rni": "rename-item", "cp": "copy-item", "copy": "copy-item", "cpi": "copy-item",
	"cat": "get-content", "gc": "get-content", "type": "get-content", "sc": "set-content", "ac": "add-content", "clc": "clear-content",
	"ls": "get-childitem", "dir": "get-childitem", "gci": "get-childitem", "cd": "set-location", "sl": "set-location", "chdir": "set-location", "pushd": "set-location",
	"iwr": "invoke-webrequest", "curl": "invoke-webrequest", "wget": "invoke-webrequest", "irm": "invoke-restmethod", "iex": "invoke-expression", "gps": "get-process", "ps": "get-process", "gi": "get-item", "sp": "set-itemproperty", "notepad": "set-content", "icm": "invoke-command",
	"tnc": "test-netconnection", "etsn": "enter-pssession", "nsn": "new-pssession", "gwmi": "get-wmiobject", "kill": "stop-process", "spps": "stop-process", "start": "start-process", "saps": "start-process", "echo": "write-output", "write": "write-output",
	"foreach": "foreach-object", "%": "foreach-object", "?": "where-object", "where": "where-object", "ni": "new-item", "md": "new-item", "mkdir": "new-item", "tee": "tee-object", "sls": "select-string", "select": "select-object", "sort": "sort-object",
}
