package guards

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Bounds of one session: entries of each kind. The oldest go.
const (
	maxEqual   = 64
	maxRecent  = 32
	maxPending = 16
	maxFiles   = 256
	maxOutside = 32
	maxSecrets = 32
	maxRefused = 32
	maxTargets = 16
)

// session is what is kept of one session, or of an agent's day.
type session struct {
	Version int       `json:"version"`
	Last    time.Time `json:"last,omitzero"` // when its last event was

	Calls    int           `json:"calls,omitempty"`
	Work     time.Duration `json:"work,omitempty"` // without long pauses
	Tokens   int64         `json:"tokens,omitempty"`
	Warned   int           `json:"warned,omitempty"`   // percents of the budget that the agent was told of
	Granted  int           `json:"granted,omitempty"`  // percents that somebody let it go to
	Failures int           `json:"failures,omitempty"` // calls that failed, in a row
	Changes  int           `json:"changes,omitempty"`  // files that became others

	Equal   []equal   `json:"equal,omitempty"`
	Recent  []recent  `json:"recent,omitempty"`
	Pending []pending `json:"pending,omitempty"`
	Files   []file    `json:"files,omitempty"`
	Outside []outside `json:"outside,omitempty"`
	Secrets []secret  `json:"secrets,omitempty"`
	Refused []refused `json:"refused,omitempty"`
}

// equal counts calls that are the same, since something changed.
type equal struct {
	Call    string `json:"call"`
	Count   int    `json:"count"`
	Changes int    `json:"changes"` // session.Changes at the last of them
	Result  string `json:"result,omitempty"`
}

// recent is one of the last calls.
type recent struct {
	Call   string `json:"call"`
	Waits  bool   `json:"waits,omitempty"`
	Result string `json:"result,omitempty"`
}

// pending is a call that was let through or asked about, and that may have run.
type pending struct {
	Call    string   `json:"call"`
	ID      string   `json:"id,omitempty"`
	Asked   string   `json:"asked,omitempty"` // which rule over sessions asked
	Writes  []string `json:"writes,omitempty"`
	Runs    []string `json:"runs,omitempty"`    // downloads that it would run
	Outside string   `json:"outside,omitempty"` // where its result would come from
	Targets []string `json:"targets,omitempty"` // of what rules stopped or asked about
}

// file is a file that the agent wrote or downloaded.
type file struct {
	Path string `json:"path"`
	Hash string `json:"hash,omitempty"`
	From string `json:"from,omitempty"` // the host it was downloaded from
}

// outside is a result that came from elsewhere.
type outside struct {
	Where  string `json:"where"`
	Orders string `json:"orders,omitempty"` // how it gives the agent orders
}

// secret is a credential that the agent has read.
type secret struct {
	Kind  string `json:"kind"`
	Where string `json:"where"`
}

// refused is a call that did not happen because somebody said no.
type refused struct {
	Call    string   `json:"call"`
	Targets []string `json:"targets"`
}

// add puts an entry at the end of a list in place of the one that it is about, and
// takes the oldest out if there are too many.
func add[T any](list []T, e T, most int, same func(T) bool) []T {
	list = append(slices.DeleteFunc(list, same), e)
	return list[max(0, len(list)-most):]
}

// bound takes out what a file has too much of: somebody may have written it.
func (s *session) bound() {
	tail(&s.Equal, maxEqual)
	tail(&s.Recent, maxRecent)
	tail(&s.Pending, maxPending)
	tail(&s.Files, maxFiles)
	tail(&s.Outside, maxOutside)
	tail(&s.Secrets, maxSecrets)
	tail(&s.Refused, maxRefused)
}

// shed takes the older half of everything out, for a file that is too large, and all
// if a last entry alone is.
func (s *session) shed() {
	if max(len(s.Equal), len(s.Recent), len(s.Pending), len(s.Files), len(s.Outside), len(s.Secrets), len(s.Refused)) <= 1 {
		s.Equal, s.Recent, s.Pending, s.Files, s.Outside, s.Secrets, s.Refused = nil, nil, nil, nil, nil, nil, nil
		return
	}
	tail(&s.Equal, (len(s.Equal)+1)/2)
	tail(&s.Recent, (len(s.Recent)+1)/2)
	tail(&s.Pending, (len(s.Pending)+1)/2)
	tail(&s.Files, (len(s.Files)+1)/2)
	tail(&s.Outside, (len(s.Outside)+1)/2)
	tail(&s.Secrets, (len(s.Secrets)+1)/2)
	tail(&s.Refused, (len(s.Refused)+1)/2)
}

func tail[T any](list *[]T, most int) { *list = (*list)[max(0, len(*list)-most):] }

// longPause is the longest time between two events that counts as work.
const longPause = 5 * time.Minute

// tick counts the time since the event before.
func (s *session) tick(now time.Time) {
	if gap := now.Sub(s.Last); !s.Last.IsZero() && gap > 0 {
		s.Work += min(gap, longPause)
	}
	if now.After(s.Last) {
		s.Last = now
	}
}

// prose are arguments in which an agent says why it calls: they make no other call.
var prose = []string{"description", "explanation", "justification", "reason", "thought", "thoughts"}

// callHash names a call: its tool, and its arguments without those that are prose.
func callHash(tool string, input map[string]any) string {
	h := sha256.New()
	_, _ = h.Write([]byte(tool))
	e := json.NewEncoder(h)
	keys := make([]string, 0, len(input))
	for k := range input {
		if !slices.Contains(prose, k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if e.Encode(k) != nil || e.Encode(input[k]) != nil {
			_, _ = h.Write([]byte("?"))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// resultHash names a result, whatever times stand in it.
func resultHash(ok bool, text string) string {
	h := fnv.New64a()
	_, _ = h.Write(timeless(text[:min(len(text), 64<<10)]))
	if !ok {
		_, _ = h.Write([]byte("\x00failed"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// timeless is a text without what tells times and durations: numbers with signs in them,
// such as 12:30 and 0.4, and numbers with a unit.
func timeless(text string) []byte {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		from, signs := i, false
		for i < len(text) && (text[i] >= '0' && text[i] <= '9' || i > from && strings.IndexByte(".:-", text[i]) >= 0) {
			signs = signs || text[i] < '0' || text[i] > '9'
			i++
		}
		switch {
		case i == from:
			b = append(b, text[i])
			i++
		case !signs && (i == len(text) || strings.IndexByte("smh%", text[i]) < 0):
			b = append(b, text[from:i]...)
		}
	}
	return b
}

// fileHash names what a file holds, if it can be read.
func fileHash(read reader, path string) string {
	b, err := read(path, 256<<10)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// waits reports whether a call waits for something, as one that looks again and again
// whether something is done.
func waits(facts []hook.Fact) bool {
	return slices.ContainsFunc(facts, func(f hook.Fact) bool {
		return f.Does == "run" && (f.Program == "sleep" || f.Program == "start-sleep" || f.Program == "wait" || f.Program == "watch" || slices.Contains(f.Args, "--watch") || slices.Contains(f.Args, "watch") || slices.Contains(f.Args, "wait"))
	})
}
