package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// PowerShell gives the facts of a line of PowerShell in a world. It reads less than
// Shell does: what it cannot resolve is unknown.
func PowerShell(line string, w World) []hook.Fact {
	sh := newShell(&w)
	sh.powershell(clean(line), hook.Span{From: 0, To: len(line)})
	return sh.out
}

// powershell reads a text in the shell's own state.
func (sh *shell) powershell(src string, at hook.Span) {
	if sh.nested >= maxNested || len(src) > maxText {
		sh.unread(at, "the text is too long or lies too deep to be read")
		return
	}
	sh.nested++
	defer func() { sh.nested-- }()
	old := sh.by
	sh.by = cmp.Or(old, "powershell")
	defer func() { sh.by = old }()
	var fed values
	before, list := len(sh.out), sh.psParsed(src)
	for i, c := range list {
		if !sh.step() {
			return
		}
		if !c.piped {
			fed, before = nil, len(sh.out)
		}
		span := at
		if sh.nested == 1 {
			span = hook.Span{From: c.from, To: c.end}
		}
		last := i+1 == len(list) || !list[i+1].piped
		if last && len(c.to) == 0 {
			fed = sh.psRun(c, fed, span)
			sh.psPrints(c, fed, before, span)
		} else {
			fed = sh.takes(func() values { return sh.psRun(c, fed, span) })
		}
		for _, w := range c.to {
			sh.psPath("write", w, effect{}, span)
		}
	}
}

// psRun tells what one command does, and gives what it feeds to the next.
func (sh *shell) psRun(c psCommand, fed values, at hook.Span) values {
	if len(c.words) == 0 || !sh.step() {
		return nil
	}
	if sh.brackets++; sh.brackets > maxBrackets {
		sh.brackets--
		sh.unread(at, "the text lies too deep to be read")
		return anything()
	}
	defer func() { sh.brackets-- }()
	if i := slices.IndexFunc(c.words, func(w psWord) bool { return w.sets }); i >= 0 {
		sh.psAssign(c.words[:i+1], c.words[i+1:], at)
		return nil
	}
	if first := c.words[0]; c.called && first.sub && !first.block {
		c.words[0] = sh.psMadeUp(first, at)
	}
	first := c.words[0]
	switch {
	case first.block || first.sub:
		if first.table {
			sh.psTable(first.text, at)
		} else {
			sh.powershell(first.text, at)
		}
		sh.psOperands(c.words[1:], at)
		if len(c.words) > 1 && strings.HasPrefix(c.words[1].text, ".") {
			return sh.psMember(c.words[1].text, at)
		}
		return anything()
	case !c.called && isVariable(first):
		return sh.psExpression(c.words, at)
	case first.quoted && !c.called || strings.Trim(first.text, "0123456789.,") == "":
		return sh.psData(c.words, at)
	case strings.HasPrefix(first.text, "[") || !first.quoted && !c.called && strings.HasPrefix(first.text, "$") && strings.Contains(first.text, "."):
		sh.psOperands(c.words[1:], at)
		return sh.psMember(first.text, at)
	}
	name := sh.psName(first)
	if !(value{text: name}).known() {
		sh.unknown(at, "which program runs shows only when it runs")
		return anything()
	}
	sh.tell(hook.Fact{Does: "run", Program: name, Args: psShown(c.words[1:]), At: at, Sure: true, By: name})
	old := sh.by
	sh.by = name
	defer func() { sh.by = old }()
	if out, ok := sh.psKeyword(name, c.words, at); ok {
		return out
	}
	p := psCall{shell: sh, name: name, at: at, fed: fed}
	p.read(c.words[1:])
	before := len(sh.out)
	defer func() {
		p.connects(before)
		p.onward(before)
	}()
	return p.run(c.words[1:])
}

// psParsed takes a text apart, and counts what that costs: brackets in brackets are
// read once for each that holds them.
func (sh *shell) psParsed(src string) []psCommand {
	if sh.steps += len(src) / 16; !sh.step() {
		return nil
	}
	return psCommands(src)
}

// psMadeUp is the name of a program that an expression gives.
func (sh *shell) psMadeUp(w psWord, at hook.Span) psWord {
	name := sh.psJoined(w.text)
	if !name.known() {
		sh.unknown(at, "which program runs shows only when it runs")
	}
	for _, one := range sh.psParsed(w.text) {
		if out := sh.psRun(one, nil, at); len(out.sources()) > 0 {
			sh.tell(hook.Fact{Does: "execute", From: origin(out[0]), Language: "powershell", At: at, Sure: true})
		}
	}
	return psWord{text: name.text}
}

// psData is a command that is only data, which goes on.
func (sh *shell) psData(words []psWord, at hook.Span) values {
	sh.psOperands(words[1:], at)
	var out values
	first := sh.psValue(words[0])
	for one := range strings.SplitSeq(first.text, ",") {
		out = append(out, value{strings.Trim(one, "'\" "), first.from})
	}
	for _, w := range words[1:] {
		v := sh.psValue(w)
		out = append(out, value{strings.Trim(v.text, ", "), v.from})
	}
	return out.bounded()
}

// psName is the name of a program or cmdlet, its aliases resolved.
func (sh *shell) psName(w psWord) string {
	name := strings.ToLower(sh.psText(w))
	if strings.HasSuffix(name, ".exe") { // a program, whatever its name is an alias of
		return name
	}
	if alias, ok := psAliases[path.Base(strings.ReplaceAll(name, `\`, "/"))]; ok && !strings.Contains(name, "/") {
		name = alias
	}
	if vs, ok := sh.st.vars["psalias:"+name]; ok && len(vs) == 1 {
		name = strings.ToLower(vs[0].text)
		if alias, ok := psAliases[name]; ok {
			name = alias
		}
	}
	return name
}

// psKeyword reads words of the language itself, whose blocks are a part of the line.
func (sh *shell) psKeyword(name string, words []psWord, at hook.Span) (values, bool) {
	switch name {
	case "foreach-object": // foreach ($x in …) { … }
		if len(words) < 2 || !words[1].sub {
			return nil, false
		}
		if head, from, ok := strings.Cut(words[1].text, " in "); ok && strings.HasPrefix(strings.TrimSpace(head), "$") {
			sh.psForeach(strings.TrimSpace(head)[1:], from, words[2:], at)
			return anything(), true
		}
	case "if", "elseif", "else", "while", "for", "try", "catch", "finally", "switch", "do", "until", "function", "filter", "trap", "return", "begin", "process":
	case "set-alias", "new-alias", "sal":
		if len(words) > 2 {
			sh.st.set("psalias:"+strings.ToLower(words[1].text), text(words[len(words)-1].text))
		}
		return nil, true
	default:
		return nil, false
	}
	for _, w := range words[1:] {
		switch {
		case w.block:
			sh.powershell(w.text, at)
		case w.sub: // a condition, which nobody sees
			sh.taken++
			sh.powershell(w.text, at)
			sh.taken--
		}
	}
	return anything(), true
}

// psJoined is an expression of texts with + between them, as far as they are known.
func (sh *shell) psJoined(src string) value {
	out, unknown := value{}, value{text: string(hole)}
	if sh.steps += len(src) / 16; !sh.step() {
		return unknown
	}
	for i := 0; i < len(src); {
		var b strings.Builder
		part, n := value{}, 1
		switch c := src[i]; {
		case c == '+' || c <= ' ':
		case c == '\'':
			n = psSingle(&b, src[i:])
			part.text = b.String()
		case c == '"':
			n = psDouble(&b, src[i:])
			part = sh.psValue(psWord{text: b.String(), quoted: true})
		case c == '$':
			n = 1 + span(src[i+1:], func(c byte) bool { return letter(c) || c == ':' })
			part = sh.psValue(psWord{text: src[i : i+n]})
		case c == '(' && sh.brackets < maxBrackets:
			n = psBracket(src[i:])
			sh.brackets++
			part = sh.psJoined(src[i+1 : max(i+1, i+n-1)])
			sh.brackets--
		default:
			if i > 0 {
				return unknown
			}
			return value{text: strings.TrimSpace(src)} // a word alone
		}
		out.text += part.text
		out.from = union(out.from, part.from)
		i += max(n, 1)
	}
	return out
}

// psForeach runs blocks for each thing that an expression gives.
func (sh *shell) psForeach(name, from string, blocks []psWord, at hook.Span) {
	var in values
	for _, c := range sh.psParsed(from) {
		in = sh.psRun(c, in, at)
	}
	if len(in) == 0 {
		in = anything()
	}
	for i, v := range in {
		if i >= maxLoops {
			break
		}
		sh.st.set("ps:"+strings.ToLower(name), values{v})
		for _, b := range blocks {
			if b.block {
				sh.powershell(b.text, at)
			}
		}
	}
}

func psShown(words []psWord) []string {
	var out []string
	for _, w := range words {
		out = append(out, visible(w.text))
	}
	return out
}

// psText is a word with its variables put in.
func (sh *shell) psText(w psWord) string { return sh.psValue(w).text }

// psValue is a word with its variables put in, and where they come from.
func (sh *shell) psValue(w psWord) value {
	s := w.text
	if !strings.Contains(s, "$") {
		return value{text: s}
	}
	var b strings.Builder
	var from []string
	put := func(name string) {
		v := sh.psVariable(name)
		b.WriteString(v.text)
		from = union(from, v.from)
	}
	for i := 0; i < len(s); {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i + 1
		if s[j] == '{' {
			if k := strings.IndexByte(s[j:], '}'); k > 0 {
				put(s[j+1 : j+k])
				i = j + k + 1
				continue
			}
		}
		for j < len(s) && (s[j] == '_' || s[j] == ':' || s[j] == '.' && j+1 < len(s) && s[j+1]|0x20 >= 'a' && s[j+1]|0x20 <= 'z' && strings.HasPrefix(s[i:], "$_.") || s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z' || s[j] >= '0' && s[j] <= '9') {
			j++
		}
		put(s[i+1 : j])
		i = max(j, i+1)
	}
	return value{b.String(), from}
}

// psVariable is what a variable holds, and where that comes from.
func (sh *shell) psVariable(name string) value {
	low := strings.ToLower(name)
	if s, ok := sh.psFixed(low); ok {
		return value{text: s}
	}
	head, member, dotted := strings.Cut(low, ".")
	if vs, ok := sh.st.vars["ps:"+head]; ok && len(vs) == 1 && (!dotted || member == "fullname" || member == "name") {
		return vs[0]
	}
	out := value{text: string(hole)}
	if env, ok := strings.CutPrefix(low, "env:"); ok {
		out.from = []string{"env:" + strings.ToUpper(env)}
		for k, v := range sh.world.Env {
			if strings.EqualFold(k, env) {
				out.text = v
			}
		}
	}
	return out
}

// psFixed is what variables hold that PowerShell and Windows set, by their names in small
// letters.
func (sh *shell) psFixed(low string) (string, bool) {
	switch low {
	case "home", "env:userprofile", "env:home":
		return sh.world.Home, true
	case "pwd", "psscriptroot":
		return sh.st.dirs[0], true
	case "env:temp", "env:tmp":
		return sh.world.temps()[0], true
	case "env:localappdata":
		return sh.world.Home + "/AppData/Local", true
	case "env:appdata":
		return sh.world.Home + "/AppData/Roaming", true
	case "env:systemroot", "env:windir":
		return `C:\Windows`, true
	case "env:systemdrive":
		return `C:`, true
	case "env:programfiles":
		return `C:\Program Files`, true
	case "profile":
		return sh.world.Home + "/Documents/PowerShell/Microsoft.PowerShell_profile.ps1", true
	case "null":
		return "", true
	case "true", "false":
		return "$" + low, true
	}
	return "", false
}

// psPath tells what happens to a file.
func (sh *shell) psPath(does string, w psWord, e effect, at hook.Span) {
	for one := range strings.SplitSeq(sh.psText(w), ",") {
		one = strings.Trim(strings.TrimSpace(one), `"'`)
		if strings.HasPrefix(one, `\\`) && !strings.HasPrefix(one, `\\.\`) && !strings.HasPrefix(one, `\\?\`) { // a share of another machine
			for _, a := range readAddress("share", one) {
				a.scheme = "smb"
				sh.connects(endpoint{hostPort: a, at: field{value: value{text: one}, at: at}}, nil, at, len(sh.out))
			}
		}
		one = winPath(one)
		if one == "" || strings.EqualFold(one, "NUL") || strings.HasPrefix(one, "Env:") || strings.HasPrefix(one, "HKLM:") || strings.HasPrefix(one, "HKCU:") {
			if does != "read" && strings.HasPrefix(one, "HK") {
				sh.registry(one, at)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(one, "~"); ok && (rest == "" || rest[0] == '/') {
			one = sh.world.Home + rest
		}
		f := field{value: value{text: one}, at: at, glob: strings.ContainsAny(one, "*?["), pattern: one}
		sh.path(does, f, e)
	}
}

// winPath writes a path of Windows with slashes; a drive is a folder at the top.
func winPath(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	if len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z' {
		s = "/" + strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}
