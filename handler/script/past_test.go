package script

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// TestTheTimeIsThatOfTheEvent: whatever tells the time, it is that of the past.
func TestTheTimeIsThatOfTheEvent(t *testing.T) {
	const text = `const loaded = new Date().getUTCFullYear()
const later = (ms) => new Promise((done) => setTimeout(done, ms))
export default async (event) => {
  const D = Date
  class Mine extends Date { year() { return this.getUTCFullYear() } }
  const before = Date.now()
  await later(5)
  const all = {
    loaded, now: new Date(Date.now()).toISOString().slice(0, 16), made: new Date().toISOString().slice(0, 16), called: Date().slice(11, 15),
    intl: new Intl.DateTimeFormat("en-US", {timeZone: "UTC", year: "numeric"}).format(), origin: new Date(performance.timeOrigin + performance.now()).getUTCFullYear(),
    reflected: Reflect.construct(D, []).getUTCFullYear(), mine: new Mine().year(), isDate: new Date() instanceof Date && new Date().constructor === Date, name: Date.name + Date.length,
    file: new File([], "x").lastModified > 1.8e12, goes: Date.now() > before, given: new Date(2020, 1, 2, 3).getHours() + "" + Date.UTC(1970, 0, 1) + Date.parse("1970-01-01T00:00:01Z"),
    object: Object.getPrototypeOf(new Date(0)) === Date.prototype && structuredClone(new Date(0)) instanceof Date,
  }
  return {inject: JSON.stringify(all)}
}
`
	dir := files(t, map[string]string{"hook.ts": text})
	h, err := New(filepath.Join(dir, "hook.ts"), Config{Past: true, Together: true}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, at := range []time.Time{time.Date(2031, 5, 6, 7, 8, 0, 0, time.UTC), time.Date(2031, 12, 24, 3, 4, 5, 0, time.UTC)} {
		ev := hook.PreToolUse.New(hook.Envelope{Session: "s", Mark: &hook.Mark{ID: hook.ID{1}, Time: at}}, hook.ToolUse{ToolName: "Bash"})
		d, err := h.Handle(t.Context(), ev)
		minute := at.Format("2006-01-02T15:04")
		want := `{"loaded":2031,"now":"` + minute + `","made":"` + minute + `","called":"2031","intl":"2031","origin":2031,"reflected":2031,"mine":2031,"isDate":true,"name":"Date7","file":true,"goes":true,"given":"301000","object":true}`
		if err != nil || d.Inject != want {
			t.Errorf("got  %s, %v\nwant %s", d.Inject, err, want)
		}
	}
}

// TestTheTimeIsTodaysOtherwise, as the clock shows it.
func TestTheTimeIsTodaysOtherwise(t *testing.T) {
	r := run(t, `export default () => ({inject: String(new Date().getUTCFullYear())})`)
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s", Mark: &hook.Mark{ID: hook.ID{1}, Time: time.Date(2001, 5, 6, 7, 8, 0, 0, time.UTC)}}, hook.ToolUse{ToolName: "Bash"})
	if d, err := r.Handle(t.Context(), ev); err != nil || d.Inject == "2001" {
		t.Errorf("got %q, %v", d.Inject, err)
	}
}
