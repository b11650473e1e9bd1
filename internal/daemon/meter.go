package daemon

import (
	"fmt"
	"io"
	"time"
)

// A request may be large, and connections are many: of those beyond largeSize
// only maxLarge are in memory at a time, and the others wait for their turn.
const (
	largeSize = 256 << 10
	maxLarge  = 4
)

// meter reads a request, and waits for a turn when it is a large one.
type meter struct {
	from   io.Reader
	large  chan struct{}
	within time.Duration

	read int
	held bool
}

func (m *meter) Read(p []byte) (int, error) {
	if !m.held && m.read >= largeSize {
		if err := m.wait(); err != nil {
			return 0, err
		}
	}
	if !m.held && len(p) > largeSize {
		p = p[:largeSize]
	}
	n, err := m.from.Read(p)
	m.read += n
	return n, err
}

func (m *meter) wait() error {
	t := time.NewTimer(m.within)
	defer t.Stop()
	select {
	case m.large <- struct{}{}:
		m.held = true
		return nil
	case <-t.C:
		return errLarge(m.within)
	}
}

func errLarge(within time.Duration) error {
	return fmt.Errorf("%d requests of more than %d KiB are under way, and none ended within %v", maxLarge, largeSize>>10, within)
}

// release gives the turn back, when the request is not needed any more.
func (m *meter) release() {
	if m.held {
		<-m.large
		m.held = false
	}
}
