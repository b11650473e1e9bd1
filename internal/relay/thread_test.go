package relay_test

import (
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

func TestThreadsAreOneWord(t *testing.T) {
	for name, fine := range map[string]bool{
		"": true, "build": true, "issue-7": true, "a/b#c": true, "[x": true, "größe": true,
		"the build": false, "a]": false, "a\tb": false, "a\nb": false, " ": false, "a\u00a0b": false,
	} {
		if err := relay.Thread(name); (err == nil) != fine || err != nil && !relay.Refused(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
