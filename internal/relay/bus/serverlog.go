package bus

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
)

// serverLog takes the lines of the embedded server: warnings and errors are passed
// on, each at most once a minute.
type serverLog struct {
	log *slog.Logger

	mu       sync.Mutex
	starting bool
	fatal    string // what made the start fail
	damage   string // what was wrong with its files at the start
	last     map[string]time.Time
}

// damaged are the lines of a start that tell of files which cannot be used. The
// server goes on without the stream in question, as if it had never been.
var damaged = expression(`(?i)(missing stream (metafile|checksum)|(reading|unmarshalling) (stream )?metafile|metafile checksum|checksums do not match|error recreating stream|unsupported stream|bad subject|corrupt|partial batch write)`)

// ordinary are lines that tell of nothing to do, or of what the bus says itself: a
// server that was killed finds the end of its files by reading them, a slow disk is
// slow, and what cannot be written stays in the outbox.
var ordinary = expression(`(?i)(stream state (outdated|detected prior|too short|checksum)|recovering stream state|took \d|temporary storage directory|slow consumer|read (error|loop)|error flushing|critical write error|failed to store a msg|inconsistency on write|maximum payloads)`)

// expression is compiled when it is needed: every command of hookway has this in it.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func (l *serverLog) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = true
}

// begun ends the start, and says what went wrong in it.
func (l *serverLog) begun() (fatal, damage string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = false
	return l.fatal, l.damage
}

// Warnf and Errorf pass a line on.
func (l *serverLog) Warnf(format string, v ...any)  { l.line(fmt.Sprintf(format, v...)) }
func (l *serverLog) Errorf(format string, v ...any) { l.line(fmt.Sprintf(format, v...)) }

// Fatalf is called in place of ending the process.
func (l *serverLog) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.mu.Lock()
	if l.fatal == "" {
		l.fatal = text
	}
	starting := l.starting
	l.mu.Unlock()
	if !starting {
		l.line(text)
	}
}

// Noticef, Debugf and Tracef say nothing that anybody must know.
func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

// client is how a line about a connection begins: with its address and a number,
// another one at each try.
var client = expression(`^(\S+):(\d+) - [a-z]+:\d+ - `)

func (l *serverLog) line(text string) {
	text = strings.TrimSpace(text)
	key := client().ReplaceAllString(text, "$1: ") // from outside the port is another one too
	text = client().ReplaceAllString(text, "$1:$2: ")
	l.mu.Lock()
	if l.starting && l.damage == "" && damaged().MatchString(text) {
		l.damage = text
	}
	now := time.Now()
	seen, ok := l.last[key]
	quiet := ok && now.Sub(seen) < time.Minute || ordinary().MatchString(text) || l.starting && l.damage == text
	if !quiet {
		if l.last == nil || len(l.last) > 64 {
			l.last = map[string]time.Time{}
		}
		l.last[key] = now
	}
	l.mu.Unlock()
	if !quiet {
		l.log.Warn("relay server: " + text)
	}
}
