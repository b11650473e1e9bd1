package bus_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// keeps reports whether a daemon that had its end in this home has, or remembers, a
// stream for a machine.
func (h *home) keeps(t testing.TB, machine string) (stream, mark bool) {
	t.Helper()
	_, err := os.Stat(filepath.Join(h.dir, "nats", "jetstream", "$G", "streams", "HW_default_"+machine))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	marks, e := os.ReadFile(filepath.Join(h.dir, "nats", "streams.json"))
	if e != nil {
		t.Fatal(e)
	}
	return err == nil, strings.Contains(string(marks), `"`+machine+`"`)
}

// TestAMachineThatIsForgottenLeavesNothing, also after the next start of the daemon; and
// when it comes back, it gets what is sent then.
func TestAMachineThatIsForgottenLeavesNothing(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	m1, m2 := newHome(t, "m1"), newHome(t, "m2")
	alice, bob := m1.join(t, "Alice"), m2.join(t, "Bob")
	hub := launch(t, "m1", job{Daemon: &daemonJob{State: m1.dir, Machine: "m1", Leaf: bus.Leaf{Listen: at}}}, alice.consumer.Notify)
	far := launch(t, "m2", job{Daemon: &daemonJob{State: m2.dir, Machine: "m2", Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + at}}}}}, bob.consumer.Notify)
	m1.knows(t, "Bob")
	<-m1.sendAll(t, "Alice", "Bob@m2", []string{"first"}, hub)
	bob.read(1)
	eventually.True(t, "its receipt", func() bool {
		sent, err := m1.store.SentBy(t.Context(), "Alice", 1)
		if err != nil {
			t.Fatal(err)
		}
		_, receipts, err := m1.store.Receipts(t.Context(), sent[0].ID)
		return err == nil && receipts[0].State == relay.StateInjected
	})
	far.kill()
	<-m1.sendAll(t, "Alice", "Bob@m2", []string{"lost", "lost too"}, hub)
	eventually.True(t, "the messages in the stream", func() bool { n, err := m1.store.Unpublished(t.Context()); return err == nil && n == 0 })

	if stream, mark := m1.keeps(t, "m2"); !stream || !mark {
		t.Fatalf("stream %t, mark %t", stream, mark)
	}
	if err := m1.store.ForgetMachine(t.Context(), "m2", false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("messages wait: %v", err)
	}
	if err := m1.store.ForgetMachine(t.Context(), "m2", true); err != nil {
		t.Fatal(err)
	}
	hub.signal()
	eventually.True(t, "nothing of it", func() bool { stream, mark := m1.keeps(t, "m2"); return !stream && !mark })
	if _, err := m1.store.Send(t.Context(), relay.Message{From: "Alice", To: "*", Content: "x"}); !errors.Is(err, relay.ErrNobody) {
		t.Errorf("to all: %v", err)
	}
	alice.read(2) // that nothing has become of hers
	told := alice.got
	hub.kill()
	hub.start()
	if err := m1.store.Register(t.Context(), "Carol"); err != nil {
		t.Fatal(err)
	}
	<-m1.sendAll(t, "Carol", "Alice", []string{"one more"}, hub)
	alice.has(append(told, "one more"))
	if stream, mark := m1.keeps(t, "m2"); stream || mark {
		t.Errorf("after the next start: stream %t, mark %t", stream, mark)
	}

	far.start()
	m1.knows(t, "Bob")
	<-m1.sendAll(t, "Alice", "Bob@m2", []string{"welcome back"}, hub)
	bob.has([]string{"first", "welcome back"})
}

// TestAStreamThatOthersUseStays in the user's own server, and only ours goes.
func TestAStreamThatOthersUseStays(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	newServer(t, at, t.TempDir())
	url := "nats://all:secret-of-all@" + at
	messages := messagesFor(t, at, "m2")
	m1, m3 := newBox("m1"), newBox("m3")
	start(t, m1, bus.Config{NATS: url})
	start(t, m3, bus.Config{NATS: url})
	m1.send("m2", "a-1", "a-2")
	m3.send("m2", "c-1")
	eventually.True(t, "three messages", func() bool { return messages() == 3 })
	m1.forget("m2")
	eventually.True(t, "those of m1 to go", func() bool { return messages() == 1 })
	m3.forget("m2")
	eventually.True(t, "the stream to go", func() bool { return messages() == -1 })

	m2 := newBox("m2")
	start(t, m2, bus.Config{NATS: url})
	m1.send("m2", "a-3")
	m2.gets(t, []string{"a-3"})
}

// forget takes a machine out, as the store does.
func (b *box) forget(machine string) {
	b.change(func() {
		for i := range b.rows {
			if b.rows[i].Machine == machine {
				b.rows[i].Machine = "forgotten"
			}
		}
		b.gone = append(b.gone, machine)
	})
}
