package page

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"
)

// kept is a store that is read again only when its file has changed, since every request
// asks it.
type kept struct {
	store *Store

	mu    sync.Mutex
	info  os.FileInfo
	state State
}

// session finds the session of a cookie and a token, and notes that it is used.
func (k *kept) session(ctx context.Context, cookie, token string) (Session, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.look(); err != nil {
		return Session{}, false, err
	}
	k.state.drop(k.store.now())
	found := k.state.session(cookie, token)
	if found == nil {
		return Session{}, false, nil
	}
	s := *found
	if now := k.store.now(); now.Sub(s.Used) >= usedTime {
		err := k.store.Change(ctx, func(st *State, now time.Time) error {
			for i := range st.Sessions {
				if st.Sessions[i].ID == s.ID {
					st.Sessions[i].Used = now.UTC().Truncate(time.Second)
					s = st.Sessions[i]
				}
			}
			st.Used = now.UTC()
			return nil
		})
		if err != nil {
			return Session{}, false, err
		}
	}
	return s, true, nil
}

// has reports whether a session is there yet. Where that cannot be read, it is not.
func (k *kept) has(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.look() != nil {
		return false
	}
	k.state.drop(k.store.now())
	return slices.ContainsFunc(k.state.Sessions, func(s Session) bool { return s.ID == id })
}

// usedTime is how exactly it is kept when a session was used.
const usedTime = 5 * time.Minute

// look reads the file if it is another one than before.
func (k *kept) look() error {
	info, err := os.Stat(k.store.file.Path)
	if os.IsNotExist(err) {
		k.info, k.state = nil, State{}
		return nil
	}
	if err != nil {
		return err
	}
	if k.info != nil && os.SameFile(info, k.info) && info.ModTime().Equal(k.info.ModTime()) && info.Size() == k.info.Size() {
		return nil
	}
	st, err := k.store.Read()
	if err != nil {
		return err
	}
	k.info, k.state = info, st
	return nil
}
