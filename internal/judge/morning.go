package judge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/visible"
)

// toldPrefix begins the name of the file that says on which day the user was told.
const toldPrefix = "told-"

// maxMorning is how many records are looked at for it, the last: an agent waits.
const maxMorning = 5000

// morning tells the user at the first session of a day, where hookway's own rules are on,
// how many calls would have been stopped the day before.
func (j *Judge) morning(ctx context.Context, set *config.Set, ev hook.AnyEvent, out *hook.Outcome[any], now time.Time) {
	if ev.Info() != hook.SessionStart.Info() || set.Settings.Guards == nil || j.AuditDir == "" {
		return
	}
	dir := filepath.Join(filepath.Dir(j.AuditDir), "guards")
	if alreadyTold(dir, now) {
		return
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	n, all, err := wouldStop(ctx, j.AuditDir, today, maxMorning)
	if err != nil || !firstOf(dir, now) || n == 0 {
		return // without time the next session is told
	}
	count := visible.Count(n, "call")
	if !all {
		count = "at least " + count
	}
	out.UserMessage = visible.Join("\n", out.UserMessage, "hookway: "+count+" would have been stopped yesterday; hookway log --would")
}

// wouldStop counts the calls that would have been stopped on the day before, among so
// many of the last records, and reports whether that is all of them.
func wouldStop(ctx context.Context, dir string, today time.Time, most int) (n int, all bool, err error) {
	seen := 0
	for r, err := range audit.Read(dir, audit.Filter{Since: today.AddDate(0, 0, -1), Last: most}) {
		if ctx.Err() != nil {
			return 0, false, ctx.Err()
		}
		seen++
		if err == nil && r.Time.Before(today) && (r.Would == hook.ActionBlock.String() || r.Would == hook.ActionAsk.String()) {
			n++
		}
	}
	return n, seen < most, ctx.Err()
}

// alreadyTold reports whether that was so on this day.
func alreadyTold(dir string, now time.Time) bool {
	_, err := os.Lstat(filepath.Join(dir, toldPrefix+now.Format(time.DateOnly)))
	return err == nil
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
