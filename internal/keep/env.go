package keep

import (
	"slices"
	"strings"
)

// secretVariables end the names of variables whose values are secrets.
var secretVariables = []string{"PASS", "PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "SECRET", "TOKEN", "KEY", "CREDENTIAL", "CREDENTIALS", "COOKIE", "AUTH", "AUTHORIZATION", "DSN", "PIN"}

// named is what is kept of the variables of an environment whose names stand in a text:
// env has the values, and unkept names those that may be secrets.
func named(environ map[string]string, text string) (env map[string]string, unkept []string) {
	if !strings.ContainsAny(text, "$%") && !strings.Contains(text, "env") && !strings.Contains(text, "ENV") {
		return nil, nil
	}
	var names []string
	for name := range environ {
		if len(name) > 1 && strings.Contains(text, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		value := environ[name]
		if mayBeSecret(name, value) {
			unkept = append(unkept, name)
			continue
		}
		if env == nil {
			env = map[string]string{}
		}
		if len(env) < maxEnv {
			env[name] = value
		}
	}
	return env, unkept
}

// openWords are passwords that are none, and what stands before tokens.
var openWords = []string{"admin", "auto", "basic", "bearer", "changeme", "default", "digest", "example", "password", "postgres", "root", "secret", "test", "token"}

// secrets are the values of an environment that may be secrets, and the words of those
// that have several: a script leads to them, or a name that is made up of others, and a
// program prints them. Where the call or its place says a plain word by itself, or what
// has only the look of a secret, that is left out, unless the call names its variable.
func secrets(environ map[string]string, unkept []string, said func() string) (out []string) {
	for name, value := range environ {
		if !mayBeSecret(name, value) {
			continue
		}
		if slices.Contains(unkept, name) {
			out = append(out, value)
		}
		for _, word := range slices.Concat([]string{value}, strings.Fields(value)) {
			switch {
			case len(word) < leastSecret, slices.Contains(openWords, strings.ToLower(word)), slices.Contains(out, word):
			case strings.HasPrefix(value, dashes) && len(word) < 4*leastSecret: // it says that it is a key
			case (!secretByName(name) || plain(word)) && strings.Contains(said(), word):
			default:
				out = append(out, word)
			}
		}
	}
	return out
}

// plain reports whether a text may as well be a word of a command.
func plain(text string) bool {
	return len(text) < 2*leastSecret || len(text) < 3*leastSecret && strings.Trim(text, lower) == ""
}

// leastSecret is how long the value of a variable is that may be a secret.
const leastSecret = 4

// mayBeSecret reports whether the value of a variable is a secret by its name, or looks
// made up by a machine.
func mayBeSecret(name, value string) bool {
	if len(value) < leastSecret || name == "PWD" || name == "OLDPWD" {
		return false
	}
	return secretByName(name) || len(value) >= 12 && !strings.ContainsAny(value, "/.: ") && strings.ContainsAny(value, "0123456789") && strings.ContainsFunc(value, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

func secretByName(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(secretVariables, func(end string) bool { return strings.HasSuffix(upper, end) })
}
