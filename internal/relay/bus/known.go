package bus

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// known remembers, in a small file, the streams that were published to and when
// they were made. A stream with another time is another one, whose messages may be
// gone.
type known struct {
	mu      sync.Mutex
	path    string
	streams map[string]time.Time // by machine
}

func loadKnown(dir string) *known {
	k := &known{path: filepath.Join(dir, "streams.json"), streams: map[string]time.Time{}}
	data, err := os.ReadFile(k.path)
	if err != nil || json.Unmarshal(data, &k.streams) != nil || k.streams == nil {
		k.streams = map[string]time.Time{} // then everything is offered again, which does no harm
	}
	return k
}

// machines are those that have a stream.
func (k *known) machines() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.streams))
}

// made reports whether a machine's stream is the one that it was.
func (k *known) made(machine string, created time.Time) (same bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.streams[machine].Equal(created)
}

// keep remembers a machine's stream.
func (k *known) keep(machine string, created time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.streams[machine] = created
	data, err := json.Marshal(k.streams)
	if err != nil {
		return err
	}
	tmp := k.path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, k.path)
}
