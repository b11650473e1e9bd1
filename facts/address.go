package facts

import (
	"strconv"
	"strings"
)

// hostPort is a host with what stands around it. Who uses it, and with which password, is
// no part of it.
type hostPort struct {
	scheme, host string
	port         int
}

// readAddress reads a word of one of the kinds of clients.txt.
func readAddress(kind, s string) []hostPort {
	if s == "" || s == "-" {
		return nil
	}
	switch kind {
	case "host":
		return addresses(s)
	case "url":
		if strings.HasPrefix(s, string(hole)) {
			return []hostPort{{host: string(hole)}}
		}
		if strings.Contains(s, "://") || settingOf(s) {
			return addresses(s)
		}
	case "place":
		if strings.ContainsAny(s, ":/") && s[0] != '.' && s[0] != '/' {
			return addresses(s)
		}
	case "user":
		if i := strings.LastIndexByte(s, '@'); i >= 0 {
			return addresses(strings.TrimLeft(s[i+1:], "/"))
		}
	case "share":
		if s = strings.ReplaceAll(s, `\`, "/"); strings.HasPrefix(s, "//") {
			return addresses(s[2:])
		}
	case "at":
		if strings.HasPrefix(s, "@") {
			return addresses(s)
		}
	case "peer":
		return peerHost(s)
	case "setting":
		if name, val, ok := strings.Cut(strings.Replace(s, " ", "=", 1), "="); ok && (strings.EqualFold(name, "hostname") || strings.EqualFold(name, "proxyjump")) {
			return addresses(val)
		}
	case "via":
		if parts := strings.SplitN(s, ":", 3); len(parts) == 3 {
			return addresses(parts[2])
		}
	case "image":
		return []hostPort{imageHost(s)}
	case "module":
		return moduleHost(s)
	}
	return nil
}

// addresses reads an address in the forms that clients take: a URL, also one of several
// hosts; host:port, host,port and [v6]:port, with a user before and a path behind; and
// the settings of a database.
func addresses(s string) []hostPort {
	if strings.Count(s, "://") > 1 && strings.Contains(s, ",") {
		var out []hostPort
		for one := range strings.SplitSeq(s, ",") {
			if strings.Contains(one, "://") {
				out = append(out, addresses(one)...)
			}
		}
		return out
	}
	if i := strings.Index(s, "://"); i >= 0 {
		scheme := strings.ToLower(s[strings.LastIndexByte(s[:i], ':')+1 : i]) // jdbc:postgresql://…
		scheme = strings.TrimPrefix(scheme, "git+")
		if scheme == "file" || scheme == "unix" || scheme == "npipe" || scheme == "fd" {
			return nil
		}
		return hosts(scheme, authority(s[i+3:]))
	}
	if settingOf(s) {
		return settings(s)
	}
	for _, start := range []string{"tcp:", "admin:", "np:", "@", "//"} {
		s = strings.TrimPrefix(s, start)
	}
	if s == "" || s[0] == '/' || s[0] == '.' || strings.HasPrefix(s, "lpc:") || strings.HasPrefix(s, "(local") || strings.ContainsAny(s[:1], "+-") { // a socket, this machine, an option
		return nil
	}
	return hosts("", beforePath(s))
}

// authority is the part of a URL before its path, without the user.
func authority(s string) string {
	s = beforePath(s)
	return s[strings.LastIndexByte(s, '@')+1:]
}

func beforePath(s string) string {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i]
	}
	return s
}

// hosts reads hosts with their ports, several by commas. A number behind a comma is a
// port, as sqlcmd writes it.
func hosts(scheme, s string) []hostPort {
	var out []hostPort
	for one := range strings.SplitSeq(s, ",") {
		if n, err := strconv.Atoi(one); err == nil && len(out) > 0 {
			out[len(out)-1].port = n
			continue
		}
		a := hostPort{scheme: scheme}
		one = one[strings.LastIndexByte(one, '@')+1:]
		if i := strings.IndexAny(one, `;\`); i >= 0 { // settings of a driver, a named instance
			one = one[:i]
		}
		switch i := strings.LastIndexByte(one, ':'); {
		case strings.HasPrefix(one, "["):
			host, rest, _ := strings.Cut(one[1:], "]")
			a.host = host
			a.port, _ = strconv.Atoi(strings.TrimPrefix(rest, ":"))
		case i >= 0 && strings.Count(one, ":") == 1:
			a.host = one[:i]
			a.port, _ = strconv.Atoi(one[i+1:])
		default:
			a.host = one
		}
		if a.host = strings.TrimSuffix(a.host, "."); a.host != "" && !strings.ContainsAny(a.host, " \t\n'\"") {
			out = append(out, a)
		}
	}
	return out
}

// hostSettings are the names of settings of which the value is a host.
var hostSettings = map[string]bool{"host": true, "hostaddr": true, "server": true, "data source": true, "address": true, "addr": true, "network address": true}

// settingOf reports whether a text is made of settings: host=db port=1, Server=db;Database=x.
func settingOf(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz_ ") == ""
}

// settings reads the hosts of such a text.
func settings(s string) []hostPort {
	var out []hostPort
	port := 0
	parts := strings.Fields(s)
	if strings.Contains(s, ";") {
		parts = strings.Split(s, ";")
	}
	for _, part := range parts {
		name, val, _ := strings.Cut(part, "=")
		val = strings.Trim(strings.TrimSpace(val), `'"`)
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "port":
			port, _ = strconv.Atoi(val)
		case hostSettings[name]:
			out = append(out, addresses(val)...)
		}
	}
	for i := range out {
		if out[i].port == 0 {
			out[i].port = port
		}
	}
	return out
}

// peerHost is the machine of host:path, as scp, rsync and git write it. A path here has
// a slash before its colon.
func peerHost(s string) []hostPort {
	if strings.Contains(s, "://") {
		return addresses(s)
	}
	host, _, ok := strings.Cut(s, ":")
	if strings.HasPrefix(s, "[") || strings.Contains(host, "@[") {
		i := strings.Index(s, "]:")
		host, ok = s[:max(i+1, 0)], i > 0
	}
	if !ok || host == "" || strings.Contains(host, "/") || isDrive(s) {
		return nil
	}
	return hosts("", host)
}

// isDrive reports whether a name begins with a drive of Windows. h:/srv is on a host.
func isDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/' && s[0] >= 'A' && s[0] <= 'Z')
}

// usualImages is where images lie whose names have no host.
const usualImages = "docker.io"

// imageHost is the registry of an image: the part before the first slash, if it can be a
// host.
func imageHost(s string) hostPort {
	if i := strings.Index(s, "://"); i >= 0 {
		s = s[i+3:]
	}
	first, _, more := strings.Cut(s, "/")
	if !more || !strings.ContainsAny(first, ".:"+string(hole)) && first != "localhost" {
		if strings.HasPrefix(s, string(hole)) {
			return hostPort{host: string(hole)}
		}
		return hostPort{host: usualImages}
	}
	if found := hosts("", first); len(found) > 0 {
		return found[0]
	}
	return hostPort{host: usualImages}
}

// moduleHost is where a module of Go lies. Packages of the module itself and of the
// standard library lie here.
func moduleHost(s string) []hostPort {
	first, _, more := strings.Cut(s, "/")
	if !more || !strings.Contains(first, ".") || strings.Trim(first, ".") == "" {
		return nil
	}
	return hosts("", first)
}
