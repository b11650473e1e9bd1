package rpc

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/environ"
	"google.golang.org/grpc/metadata"
)

// headers are those of a call, with its variables in them, and a text that tells
// different ones apart.
func (c *Config) headers(ctx context.Context) (md metadata.MD, mark string, err error) {
	var vars []string
	if c.Environ == nil {
		vars = os.Environ()
	} else {
		vars = c.Environ(ctx)
	}
	replays := environ.Replays(vars)
	if len(c.Headers) == 0 && !replays {
		return nil, "", nil
	}
	md = metadata.MD{}
	var all []string
	if replays {
		md.Append(environ.ReplayHeader, "1")
		all = append(all, environ.ReplayHeader)
	}
	for name, value := range c.Headers {
		text, err := environ.Expand("the header "+name, value, vars)
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
