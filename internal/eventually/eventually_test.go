package eventually

import "testing"

func TestTrueLooksAgain(t *testing.T) {
	looks := 0
	True(t, "it was looked at three times", func() bool { looks++; return looks == 3 })
	if looks != 3 {
		t.Errorf("got %d looks, want 3", looks)
	}
}
