package tmux

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

// linkDir is a folder with room for a socket in its path.
func linkDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "h")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// linked is a pane, and who has started it.
func linked(t *testing.T, start Start) (*Pane, *Watch) {
	t.Helper()
	offer, err := NewOffer(linkDir(t))
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan *Pane, 1)
	go func() {
		pane, got, err := Take(offer.Path)
		if err != nil || !reflect.DeepEqual(got, start) {
			t.Errorf("the pane got %v, %v", got, err)
		}
		taken <- pane
	}()
	watch, err := offer.Hand(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	pane := <-taken
	if pane == nil {
		t.FailNow()
	}
	t.Cleanup(watch.Close)
	return pane, watch
}

func TestAPaneIsToldWhatToDoAndTellsHowItEnded(t *testing.T) {
	pane, first := linked(t, Start{Dir: "/d", Args: []string{"run", "--", "x y"}, Env: []string{"A=1", "B=\n=;"}, Follow: true})
	second, err := Join(pane.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if s := <-pane.Signals; s != syscall.SIGTERM { // by now the pane knows both
		t.Errorf("got %v", s)
	}
	if err := second.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := second.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if s := <-pane.Signals; s != syscall.SIGINT {
		t.Errorf("got %v", s)
	}
	want := End{Code: 7, Notes: "a\n", Screen: "b"}
	go func() {
		_, _ = pane.Write([]byte("some "))
		_, _ = pane.Write([]byte("\xff output"))
		pane.Finish(want)
	}()
	for watch, shown := range map[*Watch]string{first: "some \xff output", second: ""} {
		var out bytes.Buffer
		if end, err := watch.End(&out); end != want || err != nil || out.String() != shown {
			t.Errorf("%+v, %v; shown: %q", end, err, &out)
		}
		watch.Close()
	}
	if _, err := Join(pane.listener.Addr().String()); !errors.Is(err, ErrVanished) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAPaneThatIsKilledHasVanished(t *testing.T) {
	pane, watch := linked(t, Start{})
	pane.mu.Lock()
	for conn := range pane.watches {
		conn.Close()
	}
	pane.mu.Unlock()
	if end, err := watch.End(nil); !errors.Is(err, ErrVanished) {
		t.Errorf("got %v, %v, want errors.Is(err, ErrVanished)", end, err)
	}
	pane.Finish(End{})
}

func TestWhoDoesNotListenDoesNotKeepAPaneFromEnding(t *testing.T) {
	pane, _ := linked(t, Start{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		pane.Finish(End{Screen: strings.Repeat("a line\n", mostText)})
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits")
	}
}

func TestWhoIsTooSlowForTheOutputStillGetsTheEnd(t *testing.T) {
	defer func(was time.Duration) { followLimit = was }(followLimit)
	followLimit = 50 * time.Millisecond
	pane, watch := linked(t, Start{Follow: true})
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for piece := bytes.Repeat([]byte("x"), 32<<10); ; { // it is not read
			pane.mu.Lock()
			gone := pane.follower == nil
			pane.mu.Unlock()
			if gone {
				return
			}
			_, _ = pane.Write(piece)
		}
	}()
	<-cut
	ended := make(chan End, 1)
	go func() {
		var out bytes.Buffer
		end, err := watch.End(&out)
		if err != nil {
			t.Error(err)
		}
		ended <- end
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for back := 0; back == 0; <-tick.C { // until it watches again
		pane.mu.Lock()
		back = len(pane.watches)
		pane.mu.Unlock()
	}
	go pane.Finish(End{Code: 3})
	if end := <-ended; end != (End{Code: 3, Cut: true}) {
		t.Errorf("got %+v, want %+v", end, (End{Code: 3, Cut: true}))
	}
}

func TestAnOfferThatNobodyTakes(t *testing.T) {
	offer, err := NewOffer(linkDir(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := offer.Hand(ctx, Start{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want errors.Is(err, context.Canceled)", err)
	}
	if _, _, err := Take(offer.Path); err == nil {
		t.Error("a pane without an offer got something")
	}
}

func TestLinksThatAreLeftAreSweptUp(t *testing.T) {
	dir := linkDir(t)
	left := filepath.Join(dir, linkPrefix+"left")
	alive := filepath.Join(dir, linkPrefix+"alive")
	dead, err := listen(left)
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	lives, err := listen(alive)
	if err != nil {
		t.Fatal(err)
	}
	defer lives.Close()
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{left, alive} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	offer, err := NewOffer(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer offer.Close()
	if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead link is there: %v", err)
	}
	for _, path := range []string{alive, offer.Path} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want err == nil and info.Mode().Perm() == 0o600", path, info, err)
		}
	}
}
