package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// onward tells of the machines that connections of a call lead to beside those that it
// names: what the configuration of ssh means by a name, and the proxies of the
// environment. What runs on another machine goes by the settings there.
func (c sshCall) onward(args []field, since int) {
	for i, n := since, len(c.out); i < n; i++ {
		f := c.out[i]
		if f.Does != "connect" || f.Host == "" || f.Dry || slices.Contains(c.shared.onwards, i) {
			continue
		}
		c.shared.onwards = append(c.shared.onwards, i)
		if c.st.remote != "" {
			continue
		}
		switch f.Scheme {
		case "ssh":
			c.onSSH(&f, args)
		case "http", "https", "ftp", "wss", "ws":
			c.proxied(&f)
		}
	}
}

// onSSH tells where a connection of ssh leads, and what is run for it.
func (c sshCall) onSSH(f *hook.Fact, args []field) {
	cfg := c.sshSettings(args)
	if gap := c.sshGap(cfg); gap != "" {
		c.unknown(f.At, gap)
	}
	if len(cfg.settings) == 0 {
		return
	}
	before := cfg.looked
	host := cfg.host(f.Host)
	meant, way := cfg.machines(host, 0)
	c.steps += (cfg.looked - before) / patternsOfStep
	c.step() // which says so if these were too many
	for _, e := range meant {
		c.leads(f, e, f.Sends)
	}
	for _, e := range way {
		c.leads(f, e, nil)
	}
	if c.shared.proxies >= maxSSHJumps { // one that runs ssh, which has one
		return
	}
	c.shared.proxies++
	defer func() { c.shared.proxies-- }()
	for _, line := range host.runs() {
		run := func() { c.inner(line.value, f.At, nil, nil, false) }
		if line.maybe {
			c.unsure(run)
		} else {
			run()
		}
	}
}

// leads tells of a machine that a connection leads to.
func (c sshCall) leads(f *hook.Fact, e endpoint, sends []string) {
	e.maybe = e.maybe || !f.Sure
	e.at = field{at: f.At}
	c.shell.connects(e, sends, f.At, len(c.out))
	c.shared.onwards = append(c.shared.onwards, len(c.out)-1)
}

// proxied tells of the proxy of a connection. One that the line itself sets gets to see
// what is sent; one of the user's environment is the user's own.
func (c sshCall) proxied(f *hook.Fact) {
	if f.Class == "loopback" || c.unproxied(f.Host) {
		return
	}
	names := []string{f.Scheme + "_proxy", strings.ToUpper(f.Scheme) + "_PROXY", "all_proxy", "ALL_PROXY"}
	if f.Scheme == "http" {
		names = slices.Delete(names, 1, 2) // set by whoever asks a web server, so clients read the small one
	}
	for _, name := range names {
		own := c.st.vars[name]
		for _, v := range c.net().environment(name) {
			var sends []string
			if len(own) > 0 {
				sends = f.Sends
			}
			for _, a := range addresses(v.text) {
				if a.host == f.Host {
					continue
				}
				if a.scheme == "" {
					a.scheme = "http"
				}
				c.leads(f, endpoint{hostPort: a, maybe: !v.known()}, sends)
			}
		}
		if len(c.net().environment(name)) > 0 {
			return
		}
	}
}

// unproxied reports whether NO_PROXY names a host, or a domain that it is in.
func (c sshCall) unproxied(host string) bool {
	for _, name := range []string{"no_proxy", "NO_PROXY"} {
		for _, v := range c.net().environment(name) {
			for one := range strings.SplitSeq(v.text, ",") {
				one, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(one)), ":")
				one = strings.TrimPrefix(strings.TrimPrefix(one, "*"), ".")
				if one != "" && (host == one || strings.HasSuffix(host, "."+one)) || v.text == "*" {
					return true
				}
			}
		}
	}
	return false
}
