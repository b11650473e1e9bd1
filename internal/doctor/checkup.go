package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/wire/call"
)

// Checkup is what is looked at. Its fields must not be changed once a method was
// called; its methods are for one goroutine.
type Checkup struct {
	// Agents are those that are looked at, by the names that hookway install
	// takes. None means those that are found or installed.
	Agents []string

	Getenv     func(string) string
	Executable string         // hookway's own program
	Version    string         // of this program
	Dir        string         // the folder whose workspace is meant
	Config     config.Options // how the configuration is read
	Now        time.Time
	Channels   []Channel // by which asks reach a person

	state  string // folder
	places call.Places
	shim   string // "" if it is not found
	set    *config.Set
	agents []patient
}

// patient is an agent that is looked at.
type patient struct {
	name      string
	named     bool // by the user
	found     install.Program
	missing   error // why it was not found
	installed []install.State
	errs      []error // of files that cannot be read
}

// Open finds out what there is to look at. Close must be called.
func (c *Checkup) Open(ctx context.Context) error {
	for _, name := range c.Agents {
		if !slices.Contains(install.Agents(), name) {
			return adapter.Unknown(name, install.Agents())
		}
	}
	var err error
	if _, c.state, err = config.Places(c.Getenv); err != nil {
		return err
	}
	if c.places, err = call.Find(c.Getenv); err != nil {
		return err
	}
	c.shim, _ = install.FindShim(c.Executable)
	if c.set, err = config.Load(ctx, c.Config); err != nil {
		return err
	}
	c.agents = c.examine()
	return nil
}

// Close ends what the configuration may have started.
func (c *Checkup) Close() error {
	if c.set == nil {
		return nil
	}
	return c.set.Close()
}

// Look looks at everything that costs nothing.
func (c *Checkup) Look(ctx context.Context) *Report {
	r := new(Report)
	r.Add(c.programs())
	r.Add(c.folders())
	r.Add(c.daemon(ctx))
	r.Add(c.configuration())
	r.Add(c.channels(ctx))
	for i := range c.agents {
		r.Add(c.agent(&c.agents[i]))
	}
	r.Add(c.others())
	r.Add(c.limits())
	r.Add(c.namespaces())
	r.Add(c.history())
	r.Add(c.kept(ctx))
	return r
}

// Installed tells which version of an agent is here, "" if none is known, and whether
// hookway is installed in it.
func (c *Checkup) Installed(agent string) (version string, installed bool) {
	for i := range c.agents {
		if p := &c.agents[i]; p.name == agent {
			return p.found.Version, len(p.installed) > 0
		}
	}
	return "", false
}

// examine asks all agents at once: each may take its time to tell its version.
func (c *Checkup) examine() []patient {
	all := make([]patient, len(install.Agents()))
	var wg sync.WaitGroup
	for i, name := range install.Agents() {
		wg.Go(func() { all[i] = c.look(name) })
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(p patient) bool {
		if len(c.Agents) > 0 {
			return !p.named
		}
		return p.missing != nil && len(p.installed) == 0 && len(p.errs) == 0
	})
}

func (c *Checkup) look(name string) patient {
	p := patient{name: name, named: slices.Contains(c.Agents, name)}
	if len(c.Agents) > 0 && !p.named {
		return p
	}
	p.found, p.missing = install.Find(name)
	for _, scope := range []install.Scope{install.User, install.Project} {
		s, err := install.Installed(name, scope, c.installOptions(p.found.Version))
		switch {
		case err != nil:
			p.errs = append(p.errs, err)
		case len(s.Events) > 0:
			p.installed = append(p.installed, s)
		default:
			for _, fault := range s.Faults {
				p.errs = append(p.errs, fmt.Errorf("%s: %s", s.File, fault))
			}
		}
	}
	return p
}

func (c *Checkup) installOptions(version string) install.Options {
	o := install.Options{State: c.state, Shim: c.shim, Dir: c.Dir, Getenv: c.Getenv, Version: version}
	if c.set != nil {
		o.Hold = install.HoldFor(c.set.Approvals.Hold != config.HoldNever, c.set.Approvals.Timeout)
	}
	return o
}

// few lists at most some names.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
