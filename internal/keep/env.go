package keep

import (
	"slices"
	"strings"
)

// secretVariables end the names of variables whose values are secrets.
var secretVariables = []string{"PASS", "PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "SECRET", "TOKEN", "KEY", "CREDENTIAL", "CREDENTIALS", "COOKIE", "AUTH", "AUTHORIZATION", "DSN", "PIN"}

// named is what is kept of the variables of an environment whose names stand in a text:
// env has the values, and secrets those of the variables that unkept names.
func named(environ map[string]string, text string) (env map[string]string, unkept, secrets []string) {
	if !strings.ContainsAny(text, "$%") && !strings.Contains(text, "env") && !strings.Contains(text, "ENV") {
		return nil, nil, nil
	}
	var names []string
	for name := range environ {
		if len(name) > 1 && strings.Contains(text, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), maxEnv)] {
		value := environ[name]
		if mayBeSecret(name, value) {
			unkept, secrets = append(unkept, name), append(secrets, value)
			continue
		}
		if env == nil {
			env = map[string]string{}
		}
		env[name] = value
	}
	return env, unkept, secrets
}

// mayBeSecret reports whether the value of a variable is a secret by its name, or looks
// made up by a machine.
func mayBeSecret(name, value string) bool {
	if len(value) < 4 || name == "PWD" || name == "OLDPWD" {
		return false
	}
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(secretVariables, func(end string) bool { return strings.HasSuffix(upper, end) }) {
		return true
	}
	return len(value) >= 12 && !strings.ContainsAny(value, "/.: ") && strings.ContainsAny(value, "0123456789") && strings.ContainsFunc(value, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}
