package bus

import (
	"encoding/base32"
	"strings"
)

// DefaultNamespace is the namespace of those who name none.
const DefaultNamespace = "default"

// token is a name as a part of a subject, a stream's name or a domain. Different
// names have different tokens, except for upper and lower case.
func token(name string) string {
	name = strings.ToLower(name)
	if plain(name) {
		return name
	}
	return "x_" + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(name)))
}

// plain reports whether a name can be its own token. None begins as the others do.
func plain(name string) bool {
	for _, c := range name {
		if !(c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z') {
			return false
		}
	}
	return name != "" && len(name) <= 64 && !strings.HasPrefix(name, "x_")
}

// place says what the streams, subjects and domains of a namespace are called.
type place struct{ namespace string }

// stream is the stream of what is meant for a machine.
func (p place) stream(machine string) string {
	return "HW_" + token(p.namespace) + "_" + token(machine)
}

// subjects are those of that stream, in a server where only one machine publishes
// or, if from is "", all do. Servers that are joined hear each other's subjects, so
// one that took more than its own would store messages beside the one that they are
// kept in, and they would arrive by two ways.
func (p place) subjects(machine, from string) string {
	if from == "" {
		return "hookway.v1." + token(p.namespace) + ".to." + token(machine) + ".>"
	}
	return p.subject(machine, from)
}

// subject is what one machine sends to another under.
func (p place) subject(to, from string) string {
	return "hookway.v1." + token(p.namespace) + ".to." + token(to) + "." + token(from)
}

// publisherOf is who has sent what is under a subject; "" if it is not a machine of a
// plain name, as all are that a store knows.
func publisherOf(subject string) string {
	if by := subject[strings.LastIndexByte(subject, '.')+1:]; plain(by) {
		return by
	}
	return ""
}

// hello is where machines make themselves known.
func (p place) hello() string { return "hookway.v1." + token(p.namespace) + ".hello" }

// domain is the JetStream domain of a machine's embedded server.
func (p place) domain(machine string) string {
	if p.namespace == DefaultNamespace {
		return token(machine)
	}
	return token(p.namespace) + "_" + token(machine)
}
