package rpc

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc/metadata"
)

// variable is how a value names one of the environment.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`) })

// headers are those of a call, with its variables in them, and a text that tells
// different ones apart.
func (c *Config) headers(ctx context.Context) (md metadata.MD, mark string, err error) {
	if len(c.Headers) == 0 {
		return nil, "", nil
	}
	var environ []string
	if c.Environ == nil {
		environ = os.Environ()
	} else {
		environ = c.Environ(ctx)
	}
	md = metadata.MD{}
	var all []string
	for name, value := range c.Headers {
		text, err := expand("the header "+name, value, environ)
		if err == nil {
			err = badValue(name, text)
		}
		if err != nil {
			return nil, "", err
		}
		md.Append(name, text)
		all = append(all, strings.ToLower(name)+"\n"+text)
	}
	slices.Sort(all)
	return md, strings.Join(all, "\n"), nil
}

// expand puts variables into a value. One that is not set is an error: a header
// without its token would only be refused by the server, with no hint why.
func expand(what, value string, environ []string) (string, error) {
	if !strings.Contains(value, "${") {
		return value, nil
	}
	var missing string
	out := variable().ReplaceAllStringFunc(value, func(v string) string {
		name := v[2 : len(v)-1]
		text, ok := lookup(environ, name)
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

// lookup finds a variable; the last entry of a name counts.
func lookup(environ []string, name string) (string, bool) {
	for _, entry := range slices.Backward(environ) {
		k, v, ok := strings.Cut(entry, "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v, true
		}
	}
	return "", false
}
