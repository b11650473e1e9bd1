package audit

import (
	"slices"
	"strings"
)

// maxCovers bounds how many redactors are kept: a list that somebody changes
// again and again must not fill the memory.
const maxCovers = 64

// covers gives the redactor of each record: what the log hides, and what the
// record itself says besides. Making one costs far more than using it, so there
// is one for each different list.
type covers struct {
	fields []string
	kept   map[string]*redactor
}

func (c *covers) of(hide []string) *redactor {
	key := ""
	if len(hide) > 0 {
		key = strings.Join(hide, "\x00")
	}
	r := c.kept[key]
	if r != nil {
		return r
	}
	if c.kept == nil || len(c.kept) >= maxCovers {
		c.kept = map[string]*redactor{}
	}
	r = newRedactor(slices.Concat(c.fields, hide))
	c.kept[key] = r
	return r
}
