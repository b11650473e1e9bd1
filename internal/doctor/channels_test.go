package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestEachChannelIsOneClearLine(t *testing.T) {
	refused := errors.New("the token or the topic is wrong")
	says := func(err error) func(context.Context) error { return func(context.Context) error { return err } }
	never := func(context.Context) error { t.Error("a channel that does not count was asked"); return nil }
	is := func(err error) bool { return errors.Is(err, refused) }
	c := &Checkup{Channels: []Channel{
		{Name: "well", Leads: "ntfy.example.com", Counts: true, Check: says(nil), Test: says(nil), Refused: is},
		{Name: "new", Check: never, Test: never, Refused: is},
		{Name: "wrong", Counts: true, Check: says(refused), Test: says(refused), Refused: is},
		{Name: "away", Counts: true, Check: says(errors.New("connection refused")), Test: says(errors.New("connection refused")), Refused: is},
	}}
	for _, tt := range []struct {
		got  Section
		want string
	}{
		{c.channels(t.Context()), "ok well: ntfy.example.com|warning new: no asks are sent: it is new, or leads elsewhere than before|failure wrong: the token or the topic is wrong|warning away: it cannot be reached: connection refused"},
		{c.TestChannels(t.Context()), "ok well: a card was sent; look whether it arrives|note new: none was sent: it is not minted|failure wrong: the card was not taken: the token or the topic is wrong|failure away: the card was not taken: connection refused"},
	} {
		var lines []string
		for _, f := range tt.got.Findings {
			lines = append(lines, string(f.Level)+" "+f.Text)
			if f.Mend == "" && (f.Level == Warning || f.Level == Failure) {
				t.Errorf("%s: nothing is said of how to mend it", f.Text)
			}
		}
		if got := strings.Join(lines, "|"); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
