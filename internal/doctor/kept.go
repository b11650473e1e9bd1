package doctor

import (
	"context"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
)

// kept tells how much is kept whole of the events on record, and what keeps more from
// being kept.
func (c *Checkup) kept(ctx context.Context) Section {
	s := Section{Name: "kept", Title: "Kept events"}
	limits, err := config.KeepOf(c.Getenv)
	if err != nil {
		s.warn("see whether your hookway.yaml can be read", "%v", err)
	}
	k, err := audit.LookAtKept(ctx, c.auditDir(), limits.NoEvents, limits.EventsAge, limits.EventsSize, c.Now)
	if err != nil {
		s.warn("see who owns the folder events in "+c.auditDir(), "%v", err)
		return s
	}
	if k.Off {
		s.note("%s", k.Holds())
	} else {
		s.ok("%s", k.Holds())
	}
	for _, line := range k.Lacks() {
		s.warn("hookway log verify; hookway replay leaves these out", "%s", line)
	}
	return s
}
