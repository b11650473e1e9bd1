//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// What hookway init writes stops a call for sure at once; what it would only ask about
// runs, and is on record.
func TestWhatInitWritesStopsACall(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := untrustedWorld(t, a, "",
			model.Turn{Shell: "touch forced; git push -f origin main"},
			model.Turn{Shell: "touch asked; git push -f origin feature"})
		check(t, os.Remove(filepath.Join(w.project, "hookway.yaml")))
		w.hookway(t, "init")
		w.install(t)
		w.runAgent(t)
		if w.has("forced") {
			t.Error("the first call has run, and pushes to main by force")
		}
		if !w.has("asked") {
			t.Error("the second call has not run, and in mode auto it is only put on record")
		}
		w.mustBeTold(t, 2, "")
		told := w.model.Requests()
		if first := told[len(told)-1].Results[0]; !strings.Contains(first, "git/force-push-protected") {
			t.Errorf("the first call's result is %q, want the rule in it", first)
		}
		records := w.log(t, "PreToolUse")
		if len(records) != 2 {
			t.Fatalf("the log has %d PreToolUse, want 2: %+v", len(records), records)
		}
		if r := records[0]; r.Action != "block" || r.By != "hookway/guards" || !strings.HasPrefix(r.Rule, "git/force-push-protected@") {
			t.Errorf("the log says %+v, want block by hookway/guards", r)
		}
		if r := records[1]; r.Action != "continue" || r.Would != "ask" {
			t.Errorf("the log says %+v, want continue, would ask", r)
		}
	})
}
