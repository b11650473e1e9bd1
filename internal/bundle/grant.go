package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// Grant is something that a script may do beyond computing.
type Grant string

// The grants.
const (
	Exec  Grant = "exec"  // run programs
	Read  Grant = "read"  // read files
	Write Grant = "write" // write files
	Net   Grant = "net"   // use the network
)

// Grants lists all that there are.
func Grants() []Grant { return []Grant{Exec, Read, Write, Net} }

// ParseGrant reads a grant's name.
func ParseGrant(name string) (Grant, error) {
	if g := Grant(name); slices.Contains(Grants(), g) {
		return g, nil
	}
	return "", fmt.Errorf("there is no grant %q; use exec, read, write or net", name)
}

// asking is how a file asks for grants: a list of plain texts, so that it can be
// read, and shown to the user, before any of the file has run.
var asking = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:export )?(?:const|let|var) allow = (\[[^\]]*\]);`)
})

// asked reads what the file itself asks for, from the text without its types.
func (b *Bundle) asked() ([]Grant, error) {
	text, err := disk.Read(b.File, MaxSource)
	if err != nil {
		return nil, fmt.Errorf("the script cannot be read: %w", err)
	}
	if !bytes.Contains(text, []byte("allow")) {
		return nil, nil
	}
	plain := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderTS, Target: api.ES2023, LogLevel: api.LogLevelSilent})
	found := asking().FindSubmatch(plain.Code)
	if found == nil {
		return nil, nil
	}
	var names []string
	if err := json.Unmarshal(found[1], &names); err != nil {
		return nil, fmt.Errorf("%s: allow must be a list of plain texts, as in export const allow = [\"exec\", \"net\"]", b.File)
	}
	out := []Grant{} // none is an answer, too
	for _, name := range names {
		g, err := ParseGrant(name)
		if err != nil {
			return nil, fmt.Errorf("%s: allow: %w", b.File, err)
		}
		out = append(out, g)
	}
	return out, nil
}
