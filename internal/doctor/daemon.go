package doctor

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of what is read and shown.
const (
	daemonTime = 5 * time.Second
	logTail    = 64 << 10
	mostLines  = 5
	recent     = 24 * time.Hour // what is news
)

// daemon looks at the daemon that runs.
func (c *Checkup) daemon(ctx context.Context) Section {
	s := Section{Name: "daemon", Title: "Daemon"}
	if c.Getenv("HOOKWAY_DAEMON") == "off" {
		s.warn("unset HOOKWAY_DAEMON", "HOOKWAY_DAEMON=off: every event is judged in a process of its own, which is slower")
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, daemonTime)
	defer cancel()
	client, err := daemon.Dial(ctx, c.places.Socket)
	if err == nil {
		defer client.Close()
		var st daemon.Status
		if st, err = client.Status(ctx, c.Version); err == nil {
			c.running(&s, st)
		}
	}
	if lately, ever := c.places.Stuck(); ever && !errors.Is(err, daemon.ErrNone) {
		when := "some time ago"
		if lately {
			when = "a moment ago"
		}
		s.warn("hookway stop, if it does so again; the next event starts another",
			"it hung %s, so events are judged without it until it answers again (%s)", when, filepath.Join(c.places.Dir, "stuck"))
	}
	switch {
	case errors.Is(err, daemon.ErrNone):
		s.ok("none runs; the first event of an agent starts it (hookway doctor --live tries)")
		if at, failed := c.failedStart(); failed {
			s.warn("hookway serve, which says why", "the last try to start it failed, %s ago", ago(c.Now.Sub(at)))
		}
	case err != nil:
		s.fail("end it with hookway stop, or kill; the next event starts another", "it does not answer at %s: %v", c.places.Socket, err)
	}
	c.daemonLog(&s)
	return s
}

func (c *Checkup) running(s *Section, st daemon.Status) {
	s.ok("hookway %s runs (pid %d), %s answered", st.Version, st.PID, visible.Count(int(st.Requests), "request"))
	if st.Version != c.Version {
		s.warn("hookway stop; the next event starts this one", "it is hookway %s, and this is %s", st.Version, c.Version)
	}
	for _, ch := range st.Channels {
		s.warn("", "the channel %s of approvals is down; the others go on: %s", ch.Name, ch.Problem)
	}
	if st.Replaced {
		s.warn("hookway stop, if it is to be at once", "%s was replaced; the daemon makes room for it as soon as nothing runs", st.Executable)
	}
}

// failedStart says when the last start failed: the shim marks that in the lock.
func (c *Checkup) failedStart() (time.Time, bool) {
	info, err := os.Stat(c.places.Lock)
	if err != nil || info.Size() == 0 || c.Now.Sub(info.ModTime()) > recent {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// routine are the lines of the daemon's log that tell of nothing wrong.
var routine = []string{"listening at ", "the daemon ends: "}

// daemonLog shows what the daemon had to say last.
func (c *Checkup) daemonLog(s *Section) {
	path := filepath.Join(c.state, "daemon.log")
	lines := c.newest(path, routine)
	if len(lines) == 0 {
		return
	}
	for _, line := range lines {
		s.warn("", "%s", line)
	}
	s.Findings[len(s.Findings)-1].Mend = "more is in " + path
}

// newest gives the last different lines of a log that are not old. A line begins
// with its time.
func (c *Checkup) newest(path string, but []string) []string {
	text, err := tail(path)
	if err != nil {
		return nil
	}
	seen := tally{}
	for line := range strings.Lines(text) {
		stamp, what, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if at, err := time.Parse(time.RFC3339, stamp); err == nil && c.Now.Sub(at) <= recent && !begins(what, but) {
			seen.add(at, "%s", what)
		}
	}
	var lines []string
	for _, h := range seen.newest() {
		lines = append(lines, repeated(h.what, h.times, c.Now.Sub(h.last)))
	}
	return lines
}

func begins(line string, any []string) bool {
	for _, prefix := range any {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// tail reads the end of a file, from the beginning of a line.
func tail(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.New("it is not a file")
	}
	from := max(0, info.Size()-logTail)
	text, err := io.ReadAll(io.NewSectionReader(f, from, logTail))
	if from == 0 {
		return string(text), err
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	return rest, err
}
