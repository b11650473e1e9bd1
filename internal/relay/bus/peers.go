package bus

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	helloEvery   = 15 * time.Second // when nothing changes
	lookEvery    = 2 * time.Second  // whether our own directory has changed
	noteEvery    = time.Minute      // the store notes a contact with a peer, when nothing changes: receipts say if that is long ago
	mostPeers    = 256
	maxDirectory = 32 << 20
)

// Headers of a hello. Its body is a directory, packed.
const (
	helloMachine = "Hookway-Machine"
	helloBoot    = "Hookway-Boot" // another one when links are new: who sees it answers
	helloSelf    = "Hookway-Self" // of one process, to tell two machines of one name
)

// peer is another machine.
type peer struct {
	machine   string
	boot      string
	heard     time.Time
	reachable bool
	parted    bool // the link to it was closed, and nothing came since
	learned   [sha256.Size]byte
	noted     time.Time // when the store noted it
}

// others makes machines known to each other, and fetches from those that are
// joined by leaf links.
type others struct {
	*link
	group    *group
	fetching map[string]chan struct{} // kicks of those that are fetched from; "" are the user's own servers
	self     string
	boot     string
	said     [sha256.Size]byte
	saidAt   time.Time
}

// run says hello and listens to hellos.
func (o *others) run(ctx context.Context) error {
	came := make(chan *nats.Msg, 256)
	sub, err := o.nc.ChanSubscribe(o.b.place.hello(), came)
	if err != nil {
		return fmt.Errorf("other machines cannot be listened to: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	o.self, o.boot = rand.Text(), rand.Text()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	o.hello(ctx, true)
	for {
		select {
		case m := <-came:
			o.hear(ctx, m)
		case <-look.C:
			o.hello(ctx, false)
		case <-o.again:
			o.boot = rand.Text()
			o.kickAll()
			o.hello(ctx, true)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hello tells the others what they may know of our agents: when that has changed,
// when asked to, and now and then.
func (o *others) hello(ctx context.Context, now bool) {
	directory, err := o.b.store.Directory(ctx)
	if err != nil {
		if ctx.Err() == nil {
			o.b.fails("directory", fmt.Errorf("what others may know of our agents cannot be read: %w", err))
		}
		return
	}
	sum := sha256.Sum256(directory)
	if !now && sum == o.said && time.Since(o.saidAt) < helloEvery {
		return
	}
	m := nats.NewMsg(o.b.place.hello())
	m.Header.Set(helloMachine, o.b.machine)
	m.Header.Set(helloBoot, o.boot)
	m.Header.Set(helloSelf, o.self)
	m.Data = pack(directory)
	if most := o.nc.MaxPayload(); most > 0 && int64(len(m.Data)) > most {
		o.b.fails("directory", fmt.Errorf("the list of our agents (%d bytes, packed) is more than the server takes (%d); other machines do not learn of new ones", len(m.Data), most))
		return
	}
	if err := o.nc.PublishMsg(m); err != nil {
		return // not connected: a new connection says hello by itself
	}
	o.said, o.saidAt = sum, time.Now()
	o.b.works("directory")
}

// hear takes in a hello.
func (o *others) hear(ctx context.Context, m *nats.Msg) {
	machine, boot := m.Header.Get(helloMachine), m.Header.Get(helloBoot)
	if !relay.ValidMachine(machine) || len(boot) > 64 {
		return
	}
	if token(machine) == token(o.b.machine) {
		if m.Header.Get(helloSelf) != o.self {
			o.b.fails("name", fmt.Errorf("another machine calls itself %s too, so messages for one reach the other; give one of them another name (relay: {machine: …})", o.b.machine))
		}
		return
	}
	p := o.b.meet(machine)
	if p == nil {
		o.b.fails("peers", fmt.Errorf("more than %d machines are joined; %s is not talked to", mostPeers, machine))
		return
	}
	o.learn(ctx, p, m.Data)
	fresh := p.boot != boot
	p.boot = boot
	if o.srv != nil {
		o.fetchFromPeer(machine, fresh)
	}
	if fresh {
		o.hello(ctx, true)
	}
}

// learn keeps a peer's directory if it is another one than before, and now and then
// the contact with the peer.
func (o *others) learn(ctx context.Context, p *peer, packed []byte) {
	sum := sha256.Sum256(packed)
	if sum == p.learned && time.Since(p.noted) < noteEvery {
		return
	}
	directory, err := unpack(packed)
	if err == nil {
		err = o.b.store.Learn(ctx, p.machine, directory)
	}
	if err != nil {
		if ctx.Err() == nil {
			o.b.fails("learn "+p.machine, fmt.Errorf("what %s says of its agents cannot be kept: %w", p.machine, err))
		}
		return
	}
	p.learned, p.noted = sum, time.Now()
	o.b.works("learn " + p.machine)
}

// fetchFromPeer begins to fetch from a peer, or begins anew if its links are new.
func (o *others) fetchFromPeer(machine string, fresh bool) {
	if kick := o.fetching[machine]; kick != nil {
		if fresh {
			nudge(kick)
		}
		return
	}
	js, err := jetstream.NewWithDomain(o.nc, o.b.place.domain(machine))
	if err != nil {
		o.b.fails("learn "+machine, fmt.Errorf("messages of %s cannot be fetched: %w", machine, err))
		return
	}
	o.fetchFrom(machine, js)
}

// fetchFrom begins to fetch what a server has for this machine: that of a peer, or
// with "" the user's own.
func (o *others) fetchFrom(peer string, js jetstream.JetStream) {
	box := &mailbox{link: o.link, js: js, peer: peer, kick: make(chan struct{}, 1)}
	o.fetching[peer] = box.kick
	o.group.start(func(ctx context.Context) error { return o.fetch(ctx, box) })
}

func (o *others) kickAll() {
	for _, kick := range o.fetching {
		nudge(kick)
	}
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// meet is a peer, new or known; nil if there are too many.
func (b *Bus) meet(machine string) *peer {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.ToLower(machine)
	p := b.peers[key]
	if p == nil {
		if len(b.peers) >= mostPeers {
			return nil
		}
		p = &peer{machine: machine}
		b.peers[key] = p
	}
	p.heard, p.parted = time.Now(), false
	return p
}

// contacted, reached and unreachable note how it is with a peer.
func (b *Bus) contacted(machine string) {
	b.note(machine, func(p *peer) { p.heard, p.parted = time.Now(), false })
}
func (b *Bus) reached(machine string) {
	b.note(machine, func(p *peer) { p.reachable, p.parted = true, false })
}
func (b *Bus) unreachable(machine string) { b.note(machine, func(p *peer) { p.reachable = false }) }

// part notes that links to other machines are closed. The servers at the other end
// of those that are gone and of those that are left are given by their names; without
// any link, no machine is joined.
func (b *Bus) part(gone, left []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.peers {
		of := func(name string) bool { return ofMachine(name, p.machine) }
		if len(left) == 0 || slices.ContainsFunc(gone, of) && !slices.ContainsFunc(left, of) {
			p.parted = true
		}
	}
}

func (b *Bus) note(machine string, change func(*peer)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.peers[strings.ToLower(machine)]; p != nil {
		change(p)
	}
}

// pack and unpack are how a directory travels.
func pack(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, maxDirectory+1))
	if err != nil {
		return nil, err
	}
	if len(out) > maxDirectory {
		return nil, fmt.Errorf("it has more than %d bytes", maxDirectory)
	}
	return out, nil
}
