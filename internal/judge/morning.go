package judge

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
)

// toldPrefix begins the name of the file that says on which day the user was told.
const toldPrefix = "told-"

// morning tells the user at the first session of a day, where hookway's own rules are on,
// how many calls would have been stopped the day before.
func (j *Judge) morning(set *config.Set, ev hook.AnyEvent, out *hook.Outcome[any], now time.Time) {
	if ev.Info() != hook.SessionStart.Info() || set.Settings.Guards == nil || j.AuditDir == "" || !firstOf(filepath.Join(filepath.Dir(j.AuditDir), "guards"), now) {
		return
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	n := 0
	for r, err := range audit.Read(j.AuditDir, audit.Filter{Would: true, Since: today.AddDate(0, 0, -1)}) {
		if err == nil && r.Time.Before(today) && (r.Would == hook.ActionBlock.String() || r.Would == hook.ActionAsk.String()) {
			n++
		}
	}
	if n > 0 {
		out.UserMessage = joined(out.UserMessage, "hookway: "+Count(n, "call")+" would have been stopped yesterday; hookway log --would", "\n")
	}
}

// firstOf reports whether nobody has asked so on this day, and keeps that it was asked.
// Where that cannot be kept, nothing is told.
func firstOf(dir string, now time.Time) bool {
	name := toldPrefix + now.Format(time.DateOnly)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil || f.Close() != nil {
		return false
	}
	old, err := filepath.Glob(filepath.Join(dir, toldPrefix+"*"))
	for _, path := range old {
		if err == nil && strings.TrimPrefix(filepath.Base(path), toldPrefix) < now.Format(time.DateOnly) {
			_ = os.Remove(path) // of another day
		}
	}
	return true
}
