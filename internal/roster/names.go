package roster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Errors of Find.
var (
	ErrUnknown   = errors.New("no such session runs")
	ErrAmbiguous = errors.New("several sessions have that name")
)

// Find finds a session by its agent's name, or by its id or how that begins. The
// error of an unknown name names the nearest; that of one that several
// have, their ids.
func Find(ctx context.Context, dir, name string) (*Remote, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := All(dir)
	if err != nil {
		return nil, err
	}
	return Pick(all, name)
}

// leastID is how much of an id must be given.
const leastID = 4

// Pick is Find among these.
func Pick(all []*Remote, name string) (*Remote, error) {
	for _, same := range []func(*Remote) bool{
		func(r *Remote) bool { return r.Session == name },
		func(r *Remote) bool { return r.Name == name },
		func(r *Remote) bool { return strings.EqualFold(r.Name, name) },
		func(r *Remote) bool { return len(name) >= leastID && strings.HasPrefix(r.Session, name) },
	} {
		var found []*Remote
		for _, r := range all {
			if same(r) {
				found = append(found, r)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, ambiguous(name, found)
		}
	}
	return nil, unknown(name, all)
}

func ambiguous(name string, found []*Remote) error {
	var ids []string
	for _, r := range found[:min(len(found), 10)] {
		ids = append(ids, fmt.Sprintf("%s (pid %d, %s)", r.Session, r.PID, hook.LogLine(r.CWD)))
	}
	return fmt.Errorf("%w: %q is %s; name one by its id", ErrAmbiguous, hook.LogLine(name), strings.Join(ids, ", "))
}

func unknown(name string, all []*Remote) error {
	var names []string
	for _, r := range all {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: %q, nor any other; hookway run -n NAME -- claude starts one", ErrUnknown, hook.LogLine(name))
	}
	slices.Sort(names)
	near, left := []string(nil), slices.Clone(names)
	for len(near) < 3 {
		next := hook.Nearest(name, left)
		if next == "" {
			break
		}
		near = append(near, hook.LogLine(next))
		left = slices.DeleteFunc(left, func(n string) bool { return n == next })
	}
	if len(near) > 0 {
		return fmt.Errorf("%w: %q; did you mean %s?", ErrUnknown, hook.LogLine(name), strings.Join(near, " or "))
	}
	for i, n := range names {
		names[i] = hook.LogLine(n)
	}
	if more := len(names) - 10; more > 0 {
		names = append(names[:10], fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("%w: %q; there is %s", ErrUnknown, hook.LogLine(name), strings.Join(names, ", "))
}
