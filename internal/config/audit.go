package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

var auditTable table[auditSpec]

func auditKeys() []key[auditSpec] { return auditTable.get(makeAuditKeys) }

// Keep says how much of the audit log is kept. Zero values are the log's defaults.
type Keep struct {
	Age  time.Duration
	Size int64 // of all files together, in bytes

	// Of events, which are kept whole beside the log.
	NoEvents   bool
	EventsAge  time.Duration
	EventsSize int64
}

// Bounds of Keep, against slips of the pen.
const (
	minKeepAge  = time.Hour
	maxKeepAge  = 10 * 366 * 24 * time.Hour
	minKeepSize = 1 << 20
	maxKeepSize = 1 << 40
)

// auditSpec is "audit" as it is written.
type auditSpec struct {
	node *yaml.Node
	Keep
}

// off is the word for what is not to be.
const off = "off"

// readKeepEvents reads how long events are kept whole.
func readKeepEvents(r *reader, n *yaml.Node, a *auditSpec) {
	if node, ok := r.Enter(n); ok && node.Kind == yaml.ScalarNode && strings.EqualFold(node.Value, off) {
		a.NoEvents = true
		return
	}
	a.EventsAge = time.Duration(r.measure(n, "keep_events", "write it as 30d or 12h, or off", ages, int64(minKeepAge), int64(maxKeepAge)))
}

// makeAuditKeys lists the keys of audit.
func makeAuditKeys() []key[auditSpec] {
	return []key[auditSpec]{
		{name: "keep", doc: "How long records are kept, as 90d or 12h. Default: 90d.", shape: schema{"type": "string", "pattern": `^[0-9]+[dh]$`},
			read: func(r *reader, n *yaml.Node, a *auditSpec) {
				a.Age = time.Duration(r.measure(n, "keep", "write it as 90d or 12h", ages, int64(minKeepAge), int64(maxKeepAge)))
			}},
		{name: "keep_size", doc: "How large all files of the log together may be, as 512MiB. Default: 512MiB.", shape: schema{"type": "string", "pattern": `^[0-9]+ ?[KMG]i?B$`},
			read: func(r *reader, n *yaml.Node, a *auditSpec) {
				a.Size = r.measure(n, "keep_size", "write it as 512MiB or 2GiB", sizes, minKeepSize, maxKeepSize)
			}},
		{name: "keep_events", doc: "How long events are kept whole beside the log, to be replayed, as 30d or 12h; off keeps none. Default: 30d.",
			shape: schema{"anyOf": []schema{choiceShape(off), {"type": "string", "pattern": `^[0-9]+[dh]$`}}}, read: readKeepEvents},
		{name: "keep_events_size", doc: "How large the files of whole events together may be, as 1GiB. Default: 1GiB.", shape: schema{"type": "string", "pattern": `^[0-9]+ ?[KMG]i?B$`},
			read: func(r *reader, n *yaml.Node, a *auditSpec) {
				a.EventsSize = r.measure(n, "keep_events_size", "write it as 512MiB or 2GiB", sizes, minKeepSize, maxKeepSize)
			}},
	}
}

var (
	ages  = []unit{{"d", int64(24 * time.Hour)}, {"h", int64(time.Hour)}}
	sizes = []unit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}
)

// maxFileRedact bounds what one file hides.
const maxFileRedact = maxRedact / 2

// readRedact reads "redact".
func readRedact(r *reader, n *yaml.Node) (out []string) {
	names := r.Texts(n, "redact")
	if len(names) > maxFileRedact {
		r.Fail(n, "name what is around them", "redact has %d names; at most %d are looked for", len(names), maxFileRedact)
		names = names[:maxFileRedact]
	}
	for _, e := range names {
		why := strict.BadName(e.Text)
		if why == "" && !namesField(e.Text) {
			why = "is not a name"
		}
		if why != "" {
			r.Fail(e.Node, "name a field, as ssn or tool_input.content", "redact %q %s", strict.Clip(e.Text), why)
			continue
		}
		out = append(out, e.Text)
	}
	return out
}

// namesField reports whether a path has a name in it. Indexes say nothing: all
// entries of a list are hidden alike.
func namesField(path string) bool {
	for part := range strings.SplitSeq(path, ".") {
		if name, _, _ := strings.Cut(part, "["); hook.Normal(strings.TrimSpace(name)) != "" {
			return true
		}
	}
	return false
}

// KeepOf reads from the user's configuration, and nothing else of it, how much
// of the audit log is kept. Without such a file it costs a look at the disk. A
// file with mistakes counts as far as it can be understood: they are told when
// hooks are loaded.
func KeepOf(getenv func(string) string) (Keep, error) {
	dir, _, err := Places(getenv)
	if err != nil {
		return Keep{}, err
	}
	if info, err := os.Stat(dir); err != nil || trust.CheckOwner(dir, info) != nil {
		return Keep{}, nil
	}
	for _, name := range []string{fileName, fileNameYML} {
		data, err := keptFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Keep{}, fmt.Errorf("how much of the audit log is kept cannot be read: %w", err)
		}
		root, problems := strict.Document(name, data)
		if root == nil || len(problems) > 0 || root.Kind != yaml.MappingNode {
			return Keep{}, nil
		}
		r, spec := &reader{Reader: strict.Reader{File: name}}, &auditSpec{}
		for _, p := range r.Pairs(root) {
			if p.Key.Value == "audit" {
				object(r, p.Value, "audit", auditKeys(), spec)
			}
		}
		return spec.Keep, nil
	}
	return Keep{}, nil
}

// keptFile reads a file of the user's configuration, if it is the user's alone.
func keptFile(path string) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := trust.CheckOwner(path, f.Info()); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, strict.MaxFile+1))
}
