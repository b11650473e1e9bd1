//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestAMessageReachesAnAgentThatNobodyWraps: what hookway send says to an agent with
// hookway's hooks is in the model's context once, the first message on a machine
// too: after a tool has run, or in place of the stop. The agent was seen to have it.
func TestAMessageReachesAnAgentThatNobodyWraps(t *testing.T) {
	const text = "E2E-MESSAGE: the build is green"
	for name, turn := range map[string]model.Turn{"after a tool": {Shell: "sleep 1"}, "at the stop": {Text: "I think that is all."}} {
		t.Run(name, func(t *testing.T) {
			eachAgent(t, func(t *testing.T, a *agent) {
				if a.mayStop && turn.Shell == "" {
					t.Skipf("the stop of %s cannot be refused", a.name)
				}
				var w *world
				var sent result
				var failed error
				turn := turn
				turn.Before = sync.OnceFunc(func() { // while the agent waits for the model
					// Until somebody uses it for the first time, nobody can be known.
					for end := time.Now().Add(toAct); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
						if sent, failed = w.start(w.bin("hookway"), "send", "--json", "Carol", text); failed != nil || sent.code == 0 {
							break
						}
					}
				})
				w = newWorld(t, a, "version: 1\n", turn)
				w.env = append(w.env, "HOOKWAY_AGENT=Carol")
				w.install(t)
				w.runAgent(t)
				if failed != nil || sent.code != 0 {
					t.Fatalf("hookway send: %v, %+v", failed, sent)
				}
				requests := w.model.Requests()
				n := 0
				for _, q := range requests {
					n = max(n, read(q, text))
				}
				if last := read(requests[len(requests)-1], text); n != 1 || last != 1 {
					t.Errorf("the model reads the message %d times, at last %d times; want once", n, last)
				}
				if agents := w.hookway(t, "agents"); !strings.Contains(agents, "Carol") {
					t.Errorf("the agents are %s", agents)
				}
				if receipts := w.hookway(t, "receipts", messageID(t, sent.stdout), "--json"); !strings.Contains(receipts, `"state": "seen"`) || strings.Contains(receipts, `"repeat"`) {
					t.Errorf("the receipts are %s", receipts)
				}
			})
		})
	}
}

// messageID is the id of the message that hookway send --json tells of.
func messageID(t *testing.T, said string) string {
	t.Helper()
	var sent struct{ Message struct{ ID string } }
	if err := json.Unmarshal([]byte(said), &sent); err != nil || sent.Message.ID == "" {
		t.Fatalf("hookway send says %s: %v", said, err)
	}
	return sent.Message.ID
}
