package facts

import (
	"strings"
)

// ssh runs a line on another machine.
func (c sshCall) ssh() values {
	e := programs()["ssh"]
	if e == nil {
		return anything()
	}
	p := e.read(c.call)
	if len(p.operands) == 0 || c.seen["-G"] || c.seen["-V"] {
		return nil
	}
	host := p.operands[0]
	c.net().host(host.field)
	rest := behindOptions(c.args[host.index+1:], sshValued["ssh"]) // options may stand behind the host, too
	behind := *c.call
	behind.args = c.args[host.index+1 : len(c.args)-len(rest)]
	for _, v := range append(p.valued, e.read(&behind).valued...) {
		if v.name == "-o" {
			if key, val, ok := strings.Cut(v.text, "="); ok && (strings.EqualFold(key, "ProxyCommand") || strings.EqualFold(key, "LocalCommand")) {
				c.inner(val, v.at, nil, nil, false)
			}
		}
	}
	old := c.st
	c.shell.st = old.clone()
	c.st.remote = visible(host.text)
	c.st.dirs = []string{"/home/" + string(word)}
	var out values
	if len(rest) > 0 {
		for _, v := range c.builtin().joined(rest) {
			out = c.builtin().runText(v, c.stdin)
		}
	} else if len(c.stdin) > 0 {
		for _, v := range c.stdin {
			out = c.builtin().runText(v, nil)
		}
	}
	c.shell.st = old
	return anything(union(out.sources(), []string{"net:" + visible(host.text)})...)
}
