package approve

import (
	"strings"
	"testing"
)

// TestWhatIsHiddenIsTold: whoever approves a call knows that they do not see all of it.
func TestWhatIsHiddenIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		told    bool
	}{
		"a token":               {"curl -H 'Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a' https://x.example", false},
		"what looks like one":   {"TOKEN=" + strings.Repeat("a", 70<<10) + "\nrm -rf /opt/work", true},
		"a long text of no one": {strings.Repeat("echo one two three\n", 2000), false},
	} {
		got := shown(map[string]any{"command": test.command})
		if told := strings.Contains(got, "because they look like a credential"); told != test.told {
			t.Errorf("%s: told is %t, want %t: %q", name, told, test.told, got)
		}
		if len(got) > 3*(shownHead+shownTail) {
			t.Errorf("%s: %d bytes are shown", name, len(got))
		}
	}
}
