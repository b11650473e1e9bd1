package page

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// How long things of the page last.
const (
	LinkTime  = 2 * time.Minute    // a link that nobody has used
	QuietTime = 12 * time.Hour     // a session that is not used
	MostTime  = 7 * 24 * time.Hour // a session at all, and the port after the page was used
)

// Bounds of what is kept.
const (
	mostState    = 1 << 20
	mostSessions = 50 // the one that was used longest ago goes first
	mostLinks    = 20
)

// State is what is kept of the page. It has no secret in it, only their hashes.
type State struct {
	Port     int       `json:"port,omitempty"` // that was open last
	Used     time.Time `json:"used,omitzero"`  // a link was made, or a session used
	Links    []Link    `json:"links,omitempty"`
	Sessions []Session `json:"sessions,omitempty"`
}

// Link lets one browser in.
type Link struct {
	Hash  string    `json:"hash"`
	By    string    `json:"by"` // who made it
	Until time.Time `json:"until"`
}

// Session is a browser that was let in.
type Session struct {
	ID     string    `json:"id"`
	Cookie string    `json:"cookie,omitempty"` // hash
	Token  string    `json:"token,omitempty"`  // hash
	By     string    `json:"by"`               // who made its link
	Agent  string    `json:"browser"`          // as it names itself
	Since  time.Time `json:"since"`
	Used   time.Time `json:"used"`
	Until  time.Time `json:"until"` // at the latest
}

// End is when a session ends if it is not used.
func (s *Session) End() time.Time {
	if quiet := s.Used.Add(QuietTime); quiet.Before(s.Until) {
		return quiet
	}
	return s.Until
}

// Store is the file of a state folder.
type Store struct {
	file disk.Kept[State]
	now  func() time.Time
}

// NewStore is the store in a folder. Nothing is made before something is kept.
func NewStore(dir string) *Store {
	return &Store{now: time.Now, file: disk.Kept[State]{
		Path: filepath.Join(dir, "page.json"), Most: mostState, What: "what is kept of the page", Rescue: "then run hookway ui",
	}}
}

// Read reads what is kept, without what is over.
func (s *Store) Read() (State, error) {
	st, err := s.file.Read()
	st.drop(s.now())
	return st, err
}

// drop drops what is over, and what a clock that was set back would make last long.
func (st *State) drop(now time.Time) {
	st.Links = slices.DeleteFunc(st.Links, func(l Link) bool { return !now.Before(l.Until) || l.Until.After(now.Add(2*LinkTime)) })
	st.Sessions = slices.DeleteFunc(st.Sessions, func(s Session) bool {
		return !now.Before(s.End()) || s.Until.After(now.Add(MostTime+QuietTime)) || s.Used.After(now.Add(QuietTime))
	})
	if st.Used.After(now) {
		st.Used = now
	}
}

// Change changes what is kept, without what is over. Only one process does so at a time.
func (s *Store) Change(ctx context.Context, change func(st *State, now time.Time) error) error {
	return s.file.Change(ctx, func(st *State) error {
		now := s.now()
		st.drop(now)
		return change(st, now)
	})
}

// MakeLink makes a link, and gives what is not kept of it.
func (st *State) MakeLink(by string, now time.Time) (code string) {
	code = rand.Text()
	now = now.UTC()
	st.Links = append(st.Links, Link{Hash: hashed(code), By: by, Until: now.Add(LinkTime)})
	if over := len(st.Links) - mostLinks; over > 0 {
		st.Links = st.Links[over:]
	}
	st.Used = now
	return code
}

// useLink uses a link up, and says who made it; ok is false if there is none.
func (st *State) useLink(code string) (by string, ok bool) {
	hash := hashed(code)
	for i := range st.Links {
		if same(st.Links[i].Hash, hash) {
			by = st.Links[i].By
			st.Links = slices.Delete(st.Links, i, i+1)
			return by, true
		}
	}
	return "", false
}

// begin begins a session, and gives both halves of what lets it in.
func (st *State) begin(by, agent string, now time.Time) (s Session, cookie, token string) {
	now = now.UTC().Truncate(time.Second)
	cookie, token = rand.Text()+rand.Text(), rand.Text()+rand.Text()
	s = Session{
		ID: rand.Text()[:8], Cookie: hashed(cookie), Token: hashed(token), By: by, Agent: agent,
		Since: now, Used: now, Until: now.Add(MostTime),
	}
	st.Sessions = append(st.Sessions, s)
	if len(st.Sessions) > mostSessions {
		slices.SortStableFunc(st.Sessions, func(a, b Session) int { return a.Used.Compare(b.Used) })
		st.Sessions = st.Sessions[len(st.Sessions)-mostSessions:]
	}
	st.Used = now
	return s, cookie, token
}

// session finds the session of a cookie and a token; nil if they are of none, or of two.
func (st *State) session(cookie, token string) *Session {
	c, t := hashed(cookie), hashed(token)
	for i := range st.Sessions {
		if s := &st.Sessions[i]; same(s.Cookie, c) && same(s.Token, t) {
			return s
		}
	}
	return nil
}

// End ends a session. It reports whether there was one.
func (st *State) End(id string) bool {
	before := len(st.Sessions)
	st.Sessions = slices.DeleteFunc(st.Sessions, func(s Session) bool { return s.ID == id })
	return len(st.Sessions) < before
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// same compares in a time that does not tell how much is right.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
