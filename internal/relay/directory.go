package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hookway/hookway/internal/sqlite"
)

// directory is what one machine tells others of its agents.
type directory struct {
	V        int      `json:"v"`
	Agents   []listed `json:"agents"`
	Channels []string `json:"channels,omitempty"`
}

type listed struct {
	Name    string `json:"n"`
	Offline int64  `json:"o,omitempty"` // since when, in seconds since 1970; 0 is running
}

const (
	mostListed       = 100_000
	longestDirectory = 16 << 20
)

// Directory is what other machines may know of the agents here. It is the same bytes
// while nothing has changed.
func (s *Store) Directory(ctx context.Context) ([]byte, error) {
	agents, err := s.read(ctx).ours()
	if err != nil {
		return nil, s.explain("read", err)
	}
	d := directory{V: envelopeVersion, Agents: make([]listed, 0, len(agents))}
	for _, a := range agents {
		l := listed{Name: a.Name}
		if !a.Running {
			l.Offline = max(a.Since.Unix(), 1)
		}
		d.Agents = append(d.Agents, l)
	}
	if d.Channels, err = s.read(ctx).strings("SELECT name FROM channel ORDER BY key"); err != nil {
		return nil, s.explain("read", err)
	}
	return encode(d)
}

// Learn keeps the directory of another machine in place of what it was before.
func (s *Store) Learn(ctx context.Context, machine string, data []byte) error {
	if !validMachine(machine) {
		return &refusal{fmt.Sprintf("%q cannot be the name of a machine", machine)}
	}
	if machine == s.machine {
		return &refusal{fmt.Sprintf("another machine is called %s too: give one of them another name (relay: machine: NAME in hookway.yaml)", machine)}
	}
	d, err := readDirectory(data)
	if err != nil {
		return &refusal{fmt.Sprintf("what %s tells of its agents means nothing: %v", machine, err)}
	}
	digest := sha256.Sum256(data)
	return s.explain("changed", s.write(ctx, func(a access) error {
		var known []byte
		if _, err := a.get([]any{&known}, "SELECT digest FROM peer WHERE machine = ?", machine); err != nil {
			return err
		}
		_, err := a.exec("INSERT OR REPLACE INTO peer (machine, heard, digest) VALUES (?,?,?)", machine, sqlite.Micros(s.now()), digest[:])
		if err != nil || bytes.Equal(known, digest[:]) {
			return err
		}
		if err := a.back(machine); err != nil {
			return err
		}
		return a.learn(machine, d)
	}))
}

// readDirectory reads what another machine has written. Names that cannot be ones
// are left out.
func readDirectory(data []byte) (d directory, err error) {
	if len(data) > longestDirectory {
		return d, fmt.Errorf("it has %s, and may have %s", size(len(data)), size(longestDirectory))
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, err
	}
	if d.V != envelopeVersion {
		return d, fmt.Errorf("it has the form %d, and this hookway knows %d", d.V, envelopeVersion)
	}
	if len(d.Agents) > mostListed || len(d.Channels) > mostListed {
		return d, fmt.Errorf("it has more than %d names", mostListed)
	}
	d.Agents = slices.DeleteFunc(d.Agents, func(l listed) bool { _, err := Name(l.Name); return err != nil || l.Offline < 0 || l.Offline > 1<<40 })
	d.Channels = slices.DeleteFunc(d.Channels, func(c string) bool { _, err := Name(c); return err != nil })
	return d, nil
}

func (a access) learn(machine string, d directory) error {
	for _, table := range []string{"peer_agent", "peer_channel"} {
		if _, err := a.exec("DELETE FROM "+table+" WHERE machine = ?", machine); err != nil {
			return err
		}
	}
	for _, l := range d.Agents {
		name, _ := Name(l.Name) // it was checked
		_, err := a.exec("INSERT INTO peer_agent (machine, key, name, offline) VALUES (?,?,?,?) ON CONFLICT DO NOTHING", machine, key(name), name, l.Offline*1e6)
		if err != nil {
			return err
		}
	}
	for _, c := range d.Channels {
		name, _ := Name(c)
		if _, err := a.exec("INSERT INTO peer_channel (machine, key, name) VALUES (?,?,?) ON CONFLICT DO NOTHING", machine, key(name), name); err != nil {
			return err
		}
	}
	return nil
}
