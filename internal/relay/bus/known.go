package bus

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// known remembers, in a small file, the streams that were published to: when each
// was made, and how far it got. A stream with another time is another one, and one
// that is shorter has lost what came after.
type known struct {
	path string

	mu      sync.Mutex
	streams map[string]mark // by machine
	changed bool
}

// mark is what is remembered of a stream.
type mark struct {
	Created time.Time `json:"created"`
	Last    uint64    `json:"last"` // an offset that it had
}

func loadKnown(dir string) *known {
	k := &known{path: filepath.Join(dir, "streams.json"), streams: map[string]mark{}}
	data, err := os.ReadFile(k.path)
	if err != nil || json.Unmarshal(data, &k.streams) != nil || k.streams == nil {
		k.streams = map[string]mark{} // then everything is offered again, which does no harm
	}
	return k
}

// machines are those that have a stream.
func (k *known) machines() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.streams))
}

// of is what is remembered of a machine's stream.
func (k *known) of(machine string) mark {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.streams[machine]
}

// meet remembers another stream of a machine.
func (k *known) meet(machine string, created time.Time) error {
	k.mu.Lock()
	k.streams[machine], k.changed = mark{Created: created}, true
	k.mu.Unlock()
	return k.write()
}

// reach remembers an offset, and writes it at the next occasion: it is to find
// files that were damaged, not what a crash has done, so it may be late.
func (k *known) reach(machine string, last uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := k.streams[machine]; m.Last < last {
		m.Last = last
		k.streams[machine], k.changed = m, true
	}
}

// drop remembers no stream of a machine any more.
func (k *known) drop(machine string) error {
	k.mu.Lock()
	if _, there := k.streams[machine]; there {
		delete(k.streams, machine)
		k.changed = true
	}
	k.mu.Unlock()
	return k.write()
}

// write writes what has changed.
func (k *known) write() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.changed {
		return nil
	}
	data, err := json.Marshal(k.streams)
	if err != nil {
		return err
	}
	if err := disk.Replace(k.path, data, 0o600); err != nil {
		return err
	}
	k.changed = false
	return nil
}
