package bus_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay/bus"
)

// TestAFullServerLosesNothing: the server may keep no more, as on a full disk, and
// then may again.
func TestAFullServerLosesNothing(t *testing.T) {
	t.Parallel()
	small := listening(t, newBox("m1"), bus.Config{MaxBytes: 64 << 10, Log: nil})
	want := long("m", 12, 10<<10)
	small.send("m2", want...)
	eventually.True(t, "a word of it", func() bool { return strings.Contains(small.bus.Status().LastError, "wait in the outbox") })
	if n := len(small.outgoing("m2")); n < 6 || n == 12 {
		t.Errorf("%d of 12 wait; want some in the stream, and no more than it may keep", n)
	}
	newMachine(t, "m2", small.joined()).gets(t, want) // what it takes in is gone: there is room
	eventually.True(t, "the status", func() bool { return small.bus.Status().LastError == "" })
}

// TestAFullDiskLosesNothing: no file of the daemon may grow any more, so that neither
// its streams nor its ledger can be written; then they can again.
func TestAFullDiskLosesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files cannot be bounded there")
	}
	t.Parallel()
	at := freeAddress(t)
	h, far := newHome(t, "m1"), newHome(t, "m2")
	bob := far.join(t, "Bob")
	full := launch(t, "full", job{Daemon: &daemonJob{State: h.dir, Machine: "m1", FileSize: 96 << 10, Leaf: bus.Leaf{Listen: at}}}, nil)
	launch(t, "m2", job{Daemon: &daemonJob{State: far.dir, Machine: "m2", Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + at}}}}}, bob.consumer.Notify)
	if err := h.store.Learn(t.Context(), "m2", []byte(`{"v":1,"agents":[{"n":"Bob"}]}`)); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, id := range ids("m", 40) {
		want = append(want, id+strings.Repeat("x", 8<<10))
	}
	<-h.sendAll(t, "Alice", "Bob@m2", want, full)
	full.says("the disk failed")
	full.kill()
	full.job.Daemon.FileSize = 0
	full.start()
	bob.has(want)
}
