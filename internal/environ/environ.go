// Package environ reads an environment that is a list of NAME=value, as os.Environ
// gives one: a hook's is that of the agent it runs for, and not the process's own.
package environ

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// variable is how a value names one of the environment.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`) })

// Names reports whether a value names a variable, as ${NAME}.
func Names(value string) bool { return variable().MatchString(value) }

// Expand puts variables into a value, where it has ${NAME}. One that is not set is
// an error, which says what needs it: a header without its token would only be
// refused by the server, with no hint why.
func Expand(what, value string, environ []string) (string, error) {
	if !strings.Contains(value, "${") {
		return value, nil
	}
	var missing string
	out := variable().ReplaceAllStringFunc(value, func(v string) string {
		name := v[2 : len(v)-1]
		text, ok := Lookup(environ, name)
		if !ok && missing == "" {
			missing = name
		}
		return text
	})
	if missing != "" {
		return "", fmt.Errorf("%s needs the variable %s, which is not set in the agent's environment", what, missing)
	}
	return out, nil
}

// Lookup finds a variable; the last entry of a name counts. On Windows its case
// does not matter.
func Lookup(environ []string, name string) (string, bool) {
	for _, entry := range slices.Backward(environ) {
		k, v, ok := strings.Cut(entry, "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v, true
		}
	}
	return "", false
}
