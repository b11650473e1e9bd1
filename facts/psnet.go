package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// connects tells to which machines a cmdlet talks that is a client.
func (p *psCall) connects(since int) {
	row := clients()[p.name]
	if row == nil || programs()[p.name] != nil { // a program, which is read by the rules of the other shells
		return
	}
	k := clientCall{client: row, scheme: row.scheme, at: p.at, flag: func(name string) bool { return p.flag(name) }, variable: func(string) values { return nil }}
	word := func(w psWord) field { return field{value: p.psValue(w), at: p.at} }
	k.options = func(name string) []field {
		if w, ok := p.named[name]; ok {
			return []field{word(w)}
		}
		return nil
	}
	for _, w := range p.operands {
		if !w.block {
			k.operands = append(k.operands, word(w))
		}
	}
	for _, e := range k.endpoints() {
		p.shell.connects(e, nil, p.at, since)
	}
}

// onward tells of the machines that a cmdlet leads to beside those that it names, as of
// other programs: a proxy, and what ssh means by a name. Without -HostName a session is
// none of ssh.
func (p *psCall) onward(since int) {
	if p.program {
		return
	}
	c := &call{shell: p.shell, name: p.name, at: p.at}
	proxy, named := p.named["-proxy"]
	for i, n := since, len(p.out); i < n; i++ {
		f := p.out[i]
		switch {
		case f.Does != "connect" || slices.Contains(p.onwards, i):
		case f.Scheme == "ssh" && p.named["-hostname"].text == "", named && strings.HasPrefix(f.Scheme, "http") && p.flag("-noproxy"):
			p.onwards = append(p.onwards, i)
		case named && strings.HasPrefix(f.Scheme, "http"):
			p.onwards = append(p.onwards, i)
			v := p.psValue(proxy)
			for _, a := range addresses(v.text) {
				if a.scheme == "" {
					a.scheme = "http"
				}
				c.ssh().leads(&f, endpoint{hostPort: a, maybe: !v.known()}, f.Sends)
			}
		}
	}
	if !p.flag("-noproxy") {
		c.ssh().onward(nil, since)
	}
}

// psSockets begin the names of types of .NET that talk to a machine which their first
// argument names.
var psSockets = []string{"tcpclient", "udpclient", "smtpclient", "ldapconnection", "directoryentry", "sqlconnection", "npgsqlconnection", "mysqlconnection"}

// isSocket reports whether a name of a type is one of those.
func isSocket(name string) bool {
	name = strings.ToLower(strings.Trim(name, "[]"))
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, s := range psSockets {
		if strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// newObject reads New-Object of a type that talks to a machine.
func (p *psCall) newObject() {
	name := p.named["-typename"].text
	words := p.operands
	if name == "" && len(words) > 0 {
		name, words = words[0].text, words[1:]
	}
	name, given, joined := strings.Cut(name, "(")
	if !isSocket(name) {
		return
	}
	var args []string
	if joined {
		args = p.psArguments(strings.TrimSuffix(given, ")"))
	}
	if w, ok := p.named["-argumentlist"]; ok {
		words = append([]psWord{w}, words...)
	}
	for _, w := range words {
		if w.sub {
			args = append(args, p.psArguments(w.text)...)
		} else {
			args = append(args, strings.Split(p.psText(w), ",")...)
		}
	}
	p.psTalks(args, p.at)
}

// psArguments are the arguments of a call, without their quotes.
func (sh *shell) psArguments(src string) []string {
	var out []string
	for _, c := range sh.psParsed(src) {
		for _, w := range c.words {
			for one := range strings.SplitSeq(sh.psText(w), ",") {
				if one = strings.Trim(one, "'\" "); one != "" {
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// psTalks tells of a connection to a host, which a port may follow.
func (sh *shell) psTalks(args []string, at hook.Span) {
	if len(args) == 0 {
		return
	}
	for _, a := range addresses(args[0]) {
		e := endpoint{hostPort: a, at: field{value: value{text: args[0]}, at: at}}
		if e.scheme == "" {
			e.scheme = "tcp"
		}
		if len(args) > 1 && e.port == 0 {
			e.port, _ = strconv.Atoi(args[1])
		}
		sh.connects(e, nil, at, len(sh.out))
	}
}

// psUploads reads the methods of a WebClient that send: .UploadFile(address, file).
func (sh *shell) psUploads(head, src string, at hook.Span) {
	args := sh.psArguments(src)
	if len(args) < 2 {
		return
	}
	if strings.HasPrefix(args[1], "POST") || strings.HasPrefix(args[1], "PUT") { // the method may stand between them
		args = append(args[:1], args[2:]...)
	}
	c := &call{shell: sh, name: "webclient", at: at}
	var sends []string
	if strings.HasSuffix(head, "file") || strings.Contains(head, "fileasync") {
		f := psWord{text: args[len(args)-1], quoted: true}
		sh.psPath("read", f, effect{sends: true}, at)
		sends = c.net().sourcesOf(field{value: value{text: winPath(args[len(args)-1])}})
	} else {
		for _, one := range sh.psParsed(src) {
			for _, w := range one.words {
				sends = union(sends, sh.psValue(w).from)
			}
		}
	}
	c.net().connect(field{value: value{text: args[0]}, at: at}, "POST", sends, nil)
}
