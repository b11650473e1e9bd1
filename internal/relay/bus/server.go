package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/loopback"
)

// storeDir is the folder that the server makes in its own.
const storeDir = "jetstream"

// ErrInUse means that another process has the server's files.
var ErrInUse = errors.New("another hookway process has the relay's files")

// lockStore takes the folder of the server's files for this process.
func lockStore(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the relay's files cannot be kept: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the relay's files cannot be locked: %w", err)
	}
	ok, err := disk.TryLock(f)
	if err == nil && ok {
		return f, nil
	}
	f.Close()
	if err != nil {
		return nil, fmt.Errorf("the relay's files in %s cannot be locked: %w", dir, err)
	}
	return nil, fmt.Errorf("%w in %s: end it with hookway stop, or set HOOKWAY_HOME to give this one files of its own", ErrInUse, dir)
}

// nameEnd is how much of a server's name is by chance.
const nameEnd = 8

// serverName is what the names of a machine's servers begin with.
func serverName(machine string) string { return "hookway-" + token(machine) + "-" }

// ofMachine reports whether a server's name is one of a machine.
func ofMachine(name, machine string) bool {
	return len(name) > nameEnd && name[:len(name)-nameEnd] == serverName(machine)
}

// options are those of the embedded server.
func (b *Bus) options() (*server.Options, error) {
	o := &server.Options{
		ServerName:             serverName(b.machine) + rand.Text()[:nameEnd], // of two of one name, a third would see one that flickers
		DontListen:             true,
		NoSigs:                 true,
		NoLog:                  true,
		DisableJetStreamBanner: true,
		MaxPayload:             maxPayload,
		MaxTracedMsgLen:        256,
		JetStream:              true,
		JetStreamDomain:        b.place.domain(b.machine),
		JetStreamMaxMemory:     16 << 20,
		JetStreamMaxStore:      b.mostBytes(),
		StoreDir:               b.c.Dir,
		SyncAlways:             true,
		ConnectErrorReports:    60,
		ReconnectErrorReports:  60,
	}
	if err := b.c.listener(&o.LeafNode); err != nil {
		return nil, err
	}
	for _, r := range b.c.Leaf.Remotes {
		remote, err := r.options()
		if err != nil {
			return nil, err
		}
		o.LeafNode.Remotes = append(o.LeafNode.Remotes, remote)
	}
	return o, nil
}

// listener says where other machines may join. Addresses are not sent to them:
// a machine that learned of another way would go around what the user has set up.
func (c *Config) listener(o *server.LeafNodeOpts) error {
	o.NoAdvertise = true
	o.ReconnectInterval = 500 * time.Millisecond
	if c.Leaf.Listen == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(c.Leaf.Listen)
	if err != nil {
		return fmt.Errorf("%q is not an address for other machines to join; write 0.0.0.0:7422: %w", c.Leaf.Listen, err)
	}
	if o.Port, err = strconv.Atoi(port); err != nil || o.Port < 1 || o.Port > 65535 {
		return fmt.Errorf("%q is not an address for other machines to join: the port must be a number from 1 to 65535", c.Leaf.Listen)
	}
	if o.Host = host; host == "" {
		o.Host = "0.0.0.0"
	}
	if o.TLSConfig, err = c.Leaf.TLS.server(); err != nil {
		return err
	}
	o.TLSTimeout = 5
	if c.Leaf.TokenFile != "" {
		if o.Password, err = secret(c.Leaf.TokenFile); err != nil {
			return err
		}
		o.Username = leafUser
	}
	if loopback.Host(o.Host) {
		return nil
	}
	if o.TLSConfig == nil {
		return fmt.Errorf("other machines would send messages to %s in the clear: give the leaf listener a certificate (tls: {cert: …, key: …})", c.Leaf.Listen)
	}
	if o.Username == "" && c.Leaf.TLS.CA == "" {
		return fmt.Errorf("anybody who reaches %s could read messages: give the leaf listener a token_file, or a tls.ca whose certificates it wants", c.Leaf.Listen)
	}
	return nil
}

// leafUser is the name that goes with a token.
const leafUser = "hookway"

func (r Remote) options() (*server.RemoteLeafOpts, error) {
	u, err := r.address()
	if err != nil {
		return nil, err
	}
	o := &server.RemoteLeafOpts{Credentials: r.Creds, TLS: u.Scheme == "tls", TLSTimeout: 5, IgnoreDiscoveredServers: true}
	if o.TLSConfig, err = r.TLS.client(); err != nil {
		return nil, err
	}
	if o.TLSConfig != nil {
		o.TLS, o.TLSConfig.ServerName = true, u.Hostname()
	}
	if r.Creds != "" {
		if _, err := os.Stat(r.Creds); err != nil {
			return nil, fmt.Errorf("the credentials for %s cannot be read: %w", u.Host, err)
		}
	}
	if r.TokenFile != "" {
		token, err := secret(r.TokenFile)
		if err != nil {
			return nil, err
		}
		u.User = url.UserPassword(leafUser, token)
	}
	o.URLs = []*url.URL{u}
	return o, nil
}

// startServer starts the embedded server. Files of it that cannot be read are set
// aside, once, and it starts with none.
func (b *Bus) startServer(ctx context.Context) (*server.Server, error) {
	for again := false; ; again = true {
		s, err := b.tryServer(ctx)
		var broken *brokenError
		if again || !errors.As(err, &broken) {
			return s, err
		}
		to, err := setAside(b.c.Dir)
		if err != nil {
			return nil, fmt.Errorf("the relay's files in %s are damaged (%s), and cannot be set aside: %w", b.c.Dir, broken.what, err)
		}
		b.say("the relay's files were damaged (%s); they are now in %s, and what was not confirmed is sent again", broken.what, to)
	}
}

// brokenError means that the server's files cannot be relied on.
type brokenError struct{ what string }

func (e *brokenError) Error() string {
	return "the relay's files are damaged: " + e.what
}

// tryServer starts the server and looks at what it has found on disk.
func (b *Bus) tryServer(ctx context.Context) (*server.Server, error) {
	o, err := b.options()
	if err != nil {
		return nil, err
	}
	if err := forgetIndexes(b.c.Dir); err != nil {
		return nil, fmt.Errorf("the relay's files cannot be looked through: %w", err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("the relay's server cannot be made: %w", err)
	}
	log := &serverLog{log: b.c.Log}
	s.SetLoggerV2(log, false, false, false)
	log.begin()
	started := make(chan struct{})
	go func() { defer close(started); s.Start() }()
	select {
	case <-started:
	case <-ctx.Done():
		s.Shutdown()
		<-started
		s.WaitForShutdown()
		return nil, ctx.Err()
	}
	fatal, damage := log.begun()
	switch {
	case damage == "" && fatal == "" && s.JetStreamEnabled():
		damage = b.holes(s)
	case fatal == "" && !s.JetStreamEnabled():
		fatal = "JetStream did not start"
	}
	if fatal == "" && damage == "" {
		return s, nil
	}
	stopServer(s)
	if damage != "" {
		return nil, &brokenError{damage}
	}
	return nil, fmt.Errorf("the relay's server did not start: %s", fatal)
}

// forgetIndexes has the server read through the messages when it starts, as after a
// crash. With an index it would believe that, and pass over a message that cannot be
// read when its turn comes.
func forgetIndexes(dir string) error {
	indexes, err := filepath.Glob(filepath.Join(dir, storeDir, "*", "streams", "*", "msgs", "index.db"))
	for _, path := range indexes {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func stopServer(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// holes says which stream misses messages. They are only ever removed from the
// front, so one that is gone elsewhere was lost, and so were those after the end of
// one that was longer.
func (b *Bus) holes(s *server.Server) string {
	last := map[string]uint64{}
	detail, err := s.JszAccount(&server.JSzOptions{Account: s.GlobalAccount().GetName(), Streams: true})
	if err == nil { // else no stream was ever made
		for _, stream := range detail.Streams {
			last[stream.Name] = stream.State.LastSeq
			if lost := stream.State.Lost; lost != nil && len(lost.Msgs) > 0 || stream.State.NumDeleted > 0 {
				return "messages are missing in the stream " + stream.Name
			}
		}
	}
	for _, machine := range b.known.machines() {
		name := b.place.stream(machine)
		if at, ok := last[name]; ok && at < b.known.of(machine).Last {
			return fmt.Sprintf("the stream %s ends at message %d, and had %d", name, at, b.known.of(machine).Last)
		}
	}
	return ""
}

// setAside renames the server's files, and removes those that were set aside
// before: what they held is in the outboxes.
func setAside(dir string) (string, error) {
	old, _ := filepath.Glob(filepath.Join(dir, "broken-*"))
	to := filepath.Join(dir, "broken-"+time.Now().UTC().Format("20060102T150405.000000"))
	if err := os.Rename(filepath.Join(dir, storeDir), to); err != nil {
		return "", err
	}
	for _, path := range old {
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	return to, nil
}
