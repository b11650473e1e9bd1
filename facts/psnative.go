package facts

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/hookway/hookway/hook"
)

// expression is Invoke-Expression: a text that is run.
func (p *psCall) expression() values {
	in := p.fed
	w, ok := p.named["-command"]
	if !ok && len(p.operands) > 0 {
		w, ok = p.operands[0], true
	}
	if ok {
		if w.sub {
			in = nil
			if strings.Contains(w.text, "'") && strings.Contains(w.text, "+") {
				in = values{p.psJoined(w.text)}
			} else {
				for _, c := range p.psParsed(w.text) {
					in = p.psRun(c, in, p.at)
				}
			}
		} else {
			in = values{{text: p.psText(w)}}
		}
	}
	for _, v := range in {
		if !v.known() || len(v.from) > 0 {
			p.tell(hook.Fact{Does: "execute", From: origin(v), Language: "powershell", At: p.at, Sure: true})
			p.someScript(v, p.at)
		}
		if v.known() {
			p.powershell(v.text, p.at)
		}
	}
	return anything()
}

// native runs a program that is no cmdlet, by the rules of the other shells.
func (p *psCall) native(words []psWord) values {
	switch strings.TrimSuffix(p.name, ".exe") {
	case "powershell", "pwsh":
		if w, ok := p.named["-encodedcommand"]; ok {
			if src, ok := decodeUTF16(w.text); ok {
				p.powershell(src, p.at)
			} else {
				p.unknown(p.at, "a text is run that shows only when it runs")
			}
			return anything()
		}
		if i := slices.IndexFunc(words, func(w psWord) bool {
			return !w.quoted && len(w.text) > 1 && strings.HasPrefix("-command", strings.ToLower(w.text))
		}); i >= 0 { // it takes all that follows
			p.powershell(psLineOf(words[i+1:]), p.at)
		} else if from := p.fed.sources(); len(from) > 0 && (len(p.operands) == 0 || p.operands[0].text == "-") {
			p.tell(hook.Fact{Does: "execute", From: origin(p.fed[0]), Language: "powershell", At: p.at, Sure: true})
		} else if len(p.operands) > 0 && !strings.HasSuffix(p.operands[0].text, ".ps1") {
			p.powershell(p.operands[0].text, p.at)
		}
		return anything()
	case "cmd":
		var rest []string
		for _, w := range words {
			rest = append(rest, p.psText(w))
		}
		if line, ok := cmdLine(rest); ok {
			p.cmd(line, p.at)
		}
		return anything()
	case "reg", "start", "setx", "runas", "certutil", "bitsadmin", "msiexec", "mshta", "regsvr32", "rundll32", "schtasks", "vssadmin", "bcdedit", "wbadmin", "fsutil", "netsh", "sc", "wevtutil", "forfiles", "taskkill", "shutdown", "net", "icacls", "takeown", "cipher", "robocopy", "xcopy", "format", "diskpart", "wmic":
		var rest []string
		for _, r := range words {
			rest = append(rest, p.psText(r))
		}
		p.cmdRun(append([]string{p.name}, rest...), p.at)
		return anything()
	}
	var fields []field
	for _, w := range append([]psWord{{text: p.name}}, words...) {
		t := p.psText(w)
		if strings.Contains(t, `\`) && !strings.Contains(t, " ") {
			t = winPath(t)
		}
		fields = append(fields, field{value: value{text: t}, at: p.at, bare: !w.quoted})
	}
	p.program = true
	out, onwards := p.out[:len(p.out)-1], p.onwards // run tells the program again
	p.out, p.onwards = nil, nil
	res := p.shell.run(fields, p.fed, p.at)
	for _, i := range p.onwards {
		onwards = append(onwards, len(out)+i)
	}
	p.out, p.onwards = append(out, p.out...), onwards
	return res
}

// psCode runs what a bracket gives as code.
func (sh *shell) psCode(w psWord, at hook.Span) {
	var in values
	for _, c := range sh.psParsed(w.text) {
		in = sh.psRun(c, in, at)
	}
	for _, v := range in {
		if !v.known() || len(v.from) > 0 {
			sh.tell(hook.Fact{Does: "execute", From: origin(v), Language: "powershell", At: at, Sure: true})
		}
		if v.known() {
			sh.powershell(v.text, at)
		}
	}
}

// psLine runs a line that a cmdlet starts.
func (p *psCall) psLine(line string) {
	if strings.TrimSpace(line) != "" {
		p.powershell("& "+line, p.at)
	}
}

// decodeUTF16 reads what -EncodedCommand takes.
func decodeUTF16(s string) (string, bool) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil || len(b)%2 != 0 {
		return "", false
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return clean(string(utf16.Decode(u))), true
}

// psMember reads a call of .NET: [IO.File]::Delete('x'), $x.Delete().
func (sh *shell) psMember(s string, at hook.Span) values {
	low := strings.ToLower(s)
	open := strings.IndexByte(s, '(')
	if i := strings.Index(s, "@{"); i >= 0 && (open < 0 || i < open) { // [type]@{ … }
		sh.psTable(s[i+2:max(i+2, i+psBracket(s[i+1:]))], at)
		return anything()
	}
	if open < 0 {
		return anything()
	}
	args := sh.psParsed(s[open+1 : max(open+1, open+psBracket(s[open:])-1)])
	word := func(i int) psWord { return psArgument(args, i) }
	switch head := low[:open]; {
	case strings.HasSuffix(head, "::delete"):
		sh.psPath("delete", word(0), effect{recursive: strings.Contains(head, "directory")}, at)
	case strings.HasSuffix(head, "::readalltext"), strings.HasSuffix(head, "::readallbytes"), strings.HasSuffix(head, "::readalllines"):
		sh.psPath("read", word(0), effect{}, at)
	case strings.Contains(head, "::write"), strings.Contains(head, "::append"):
		sh.psPath("write", word(0), effect{}, at)
	case strings.HasSuffix(head, ".delete"), strings.HasSuffix(head, ".deletefolder"), strings.HasSuffix(head, ".deletefile"):
		w := word(0)
		if w.text == string(hole) || strings.HasPrefix(w.text, "$t") {
			w = psWord{text: s[:open-len(".delete")], quoted: true}
		}
		sh.psPath("delete", w, effect{recursive: true}, at)
	case strings.HasSuffix(head, "::create") && strings.Contains(head, "scriptblock"):
		if w := word(0); w.sub {
			sh.psCode(w, at)
		} else {
			sh.powershell(sh.psText(w), at)
		}
	case strings.HasSuffix(head, "::load"):
		sh.tell(hook.Fact{Does: "execute", From: "download", Language: "dotnet", At: at})
	case strings.HasSuffix(head, "::getenvironmentvariable"):
		if name := word(0).text; name != string(hole) {
			return anything("env:" + strings.ToUpper(strings.Split(name, ",")[0]))
		}
	case strings.HasSuffix(head, "::getenvironmentvariables"):
		sh.tell(hook.Fact{Does: "read", Path: "env:*", Many: true, At: at, Sure: true})
	case strings.HasSuffix(head, "::new") && isSocket(strings.TrimSuffix(head, "::new")), strings.HasSuffix(head, ".connect"), strings.HasSuffix(head, ".connectasync"), strings.HasSuffix(head, "::gethostaddresses"), strings.HasSuffix(head, "::gethostentry"):
		sh.psTalks(sh.psArguments(s[open+1:max(open+1, open+psBracket(s[open:])-1)]), at)
	case strings.Contains(head, ".upload"):
		sh.psUploads(head, s[open+1:max(open+1, open+psBracket(s[open:])-1)], at)
	case strings.HasSuffix(head, "::move"):
		sh.psPath("move", word(0), effect{}, at)
	case strings.HasSuffix(head, ".downloadstring"), strings.HasSuffix(head, ".downloaddata"):
		c := &call{shell: sh, name: "webclient", at: at}
		return anything(c.net().connect(field{value: value{text: sh.psText(word(0))}, at: at}, "GET", nil, nil))
	case strings.HasSuffix(head, ".downloadfile"):
		sh.psDownloads(s[open+1:max(open+1, open+psBracket(s[open:])-1)], at)
	case strings.HasSuffix(head, "::frombase64string"):
		return anything("decoded")
	case strings.HasSuffix(head, "::start"):
		sh.psRun(psCommand{words: []psWord{word(0), word(1)}}, nil, at)
	}
	return anything()
}

// psArgument is a word of a call in brackets, which commas part, or anything.
func psArgument(args []psCommand, i int) psWord {
	for _, c := range args {
		if i < len(c.words) {
			w := c.words[i]
			w.text = strings.TrimSuffix(w.text, ",")
			return w
		}
		i -= len(c.words)
	}
	return psWord{text: string(hole)}
}

// psLineOf is a line of words; one that stands alone is the line.
func psLineOf(words []psWord) string {
	if len(words) == 0 {
		return ""
	}
	line := words[0].text
	for _, w := range words[1:] {
		if strings.Contains(w.text, " ") {
			w.text = "'" + strings.ReplaceAll(w.text, "'", "''") + "'"
		}
		line += " " + w.text
	}
	return line
}

// psDownloads reads .DownloadFile(address, file).
func (sh *shell) psDownloads(args string, at hook.Span) {
	c := &call{shell: sh, name: "webclient", at: at}
	words := append(sh.psArguments(args), string(hole), string(hole))
	from := c.net().connect(field{value: value{text: words[0]}, at: at}, "GET", nil, []string{visible(words[1])})
	sh.psPath("write", psWord{text: words[1], quoted: true}, effect{}, at)
	sh.store(sh.places(winPath(words[1]))[0], anything(from))
}
