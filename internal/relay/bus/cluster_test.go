package bus_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay/bus"
)

// newCluster starts three servers that are a cluster, each a process.
func newCluster(t *testing.T) (nodes []*child, urls string) {
	t.Helper()
	jobs, urls := clusterJobs(t)
	for i, j := range jobs {
		nodes = append(nodes, launch(t, fmt.Sprint("n", i+1), j, nil))
	}
	return nodes, urls
}

// clusterJobs are the servers of a cluster that are not started.
func clusterJobs(t *testing.T) (jobs []job, urls string) {
	t.Helper()
	var ports []int
	for range 6 {
		_, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(port)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, n)
	}
	var all []string
	for i := range 3 {
		jobs = append(jobs, job{Node: &nodeJob{Name: fmt.Sprint("n", i+1), Dir: t.TempDir(), Client: ports[i], Port: ports[3+i], Routes: ports[3:]}})
		all = append(all, fmt.Sprint("nats://127.0.0.1:", ports[i]))
	}
	return jobs, strings.Join(all, ",")
}

// TestAClusterLosesNothingWhenItsServersDie: each of three servers is killed under
// load, one after the other, and started again. Two machines send to each other.
func TestAClusterLosesNothingWhenItsServersDie(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers die one after the other")
	}
	t.Parallel() // with what else waits
	nodes, urls := newCluster(t)
	a, b := newBox("a"), newBox("b")
	first := start(t, a, bus.Config{NATS: urls})
	start(t, b, bus.Config{NATS: urls})
	eventually.True(t, "three replicas", func() bool { return first.Status().Replicas == 3 })
	b.until(t, "the directory", func() bool { return b.learned["a"] != "" })
	const part = 200
	ab, ba := ids("ab", part*7), ids("ba", part*7)
	sendPart := func(i int) {
		for j := i * part; j < (i+1)*part; j += 20 {
			a.send("b", ab[j:j+20]...)
			b.send("a", ba[j:j+20]...)
		}
	}
	for i, node := range nodes {
		sendPart(2 * i)
		b.until(t, "something of this part", func() bool { return len(b.got) > 2*i*part })
		node.kill()
		sendPart(2*i + 1)
		b.getsFrom(t, "ab", ab[:(2*i+2)*part])
		a.getsFrom(t, "ba", ba[:(2*i+2)*part])
		node.start()
	}
	sendPart(6)
	b.gets(t, ab)
	a.gets(t, ba)
	if s := first.Status(); !s.Connected || s.Mode != bus.ModeExternal || s.Server == "" {
		t.Errorf(`got %+v, want s.Connected and s.Mode == bus.ModeExternal and s.Server != ""`, s)
	}
}

// TestAClusterThatIsNotWholeTakesMessages: one of its three servers is down when a
// stream is made. Two are enough for it, and for all that it is to have in the end.
func TestAClusterThatIsNotWholeTakesMessages(t *testing.T) {
	t.Parallel()
	nodes, urls := newCluster(t)
	a, b := newBox("a"), newBox("b")
	first := start(t, a, bus.Config{NATS: urls, Log: nil})
	eventually.True(t, "three replicas", func() bool { return first.Status().Replicas == 3 })
	nodes[2].kill()
	second := start(t, b, bus.Config{NATS: urls, Log: nil})
	want := ids("m", 100)
	a.send("b", want...)
	b.gets(t, want)
	nodes[2].start()
	eventually.True(t, "three replicas", func() bool { return second.Status().Replicas == 3 })
	b.send("a", "back")
	a.gets(t, []string{"back"})
}

// TestAClusterThatWasNeverWhole has no leader until its third server has come:
// messages wait, and the status says for what.
func TestAClusterThatWasNeverWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster waits for what never comes")
	}
	t.Parallel()
	jobs, urls := clusterJobs(t)
	for i, j := range jobs[:2] {
		launch(t, fmt.Sprint("n", i+1), j, nil)
	}
	b, m2 := newBox("m1"), newBox("m2")
	running := start(t, b, bus.Config{NATS: urls, Log: nil})
	start(t, m2, bus.Config{NATS: urls, Log: nil})
	want := ids("m", 100)
	b.send("m2", want...)
	eventually.True(t, "the status", func() bool {
		s := running.Status()
		return strings.Contains(s.LastError, "HW_default_m") && s.Outgoing == 100
	})
	launch(t, "n3", jobs[2], nil)
	m2.gets(t, want)
	eventually.True(t, "the status", func() bool { s := running.Status(); return s.LastError == "" && s.Outgoing == 0 && s.Replicas > 0 })
}
