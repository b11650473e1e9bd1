//go:build linux || darwin

package session

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

func TestASignalIsOneSignalAlsoIfItEndsTheContext(t *testing.T) {
	s := &session{signals: make(chan os.Signal, 4)}
	signal.Notify(s.signals, stopSignals...)
	defer func() { signal.Stop(s.signals) }()
	raise := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	if sig := s.caught(); sig != nil {
		t.Fatalf("caught %v, but none was sent", sig)
	}
	for range 50 {
		ctx, stop := signal.NotifyContext(context.Background(), stopSignals...)
		raise()
		<-ctx.Done()
		if sig := s.caught(); sig != syscall.SIGTERM {
			t.Errorf("caught %v", sig)
		}
		stop()
		if sig := s.caught(); sig != nil {
			t.Errorf("the same signal came again: %v", sig)
		}
		raise() // the second one is still caught
		select {
		case <-s.signals:
		case <-time.After(time.Minute):
			t.Fatal("the next signal is not caught")
		}
	}
}
