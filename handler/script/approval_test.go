package script

import (
	"context"
	"strings"
	"testing"
)

// What a plugin says of an approval's time is logged where it is not carried out; that the
// call is refused where no user can be asked is what deny means.
func TestAnApprovalsTimeIsToldWhereItIsNotKept(t *testing.T) {
	for name, told := range map[string]bool{
		"":                         false,
		`timeoutBehavior: "deny"`:  false,
		`timeoutBehavior: "allow"`: true,
		`timeoutMs: 1000, timeoutBehavior: "deny"`: true,
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, `export default function register(api) {
  api.on("before_tool_call", () => ({ requireApproval: { title: "Run it", description: "really?", `+name+` } }));
}
`)
			d, err := r.hookOf(t, 0).Handle(context.Background(), bash("x"))
			if err != nil || d.Action.String() != "ask" || !strings.Contains(d.Reason, "really?") {
				t.Errorf(`got %+v, %v, want err == nil and d.Action.String() == "ask" and strings.Contains(d.Reason, "really?")`, d, err)
			}
			if got := strings.Contains(r.logged(), "requireApproval's timeout"); got != told {
				t.Errorf("told %v: %s", got, r.logged())
			}
		})
	}
}
