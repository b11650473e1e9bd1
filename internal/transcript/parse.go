package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
)

// unread is what of a record cannot be read, and where it is. It is [ErrLine].
type unread struct {
	where string
	why   error
}

func (u *unread) Error() string { return fmt.Sprintf("%s cannot be read: %v", u.where, u.why) }

func (u *unread) Is(target error) bool { return target == ErrLine }

// odd is why a JSON text was read only in part: a member is of another kind than agents
// write there.
func odd(err error) error {
	if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if typed.Field == "" {
			return fmt.Errorf("it is a %s", typed.Value)
		}
		return fmt.Errorf("%s is a %s; the rest of it was read", typed.Field, typed.Value)
	}
	return err
}

// parse reads what fits of a JSON text: one member that is not as agents write it takes no
// call away with it, and is told. ok is false of what is no JSON.
func (s *state) parse(data []byte, v any) (ok bool) {
	err := json.Unmarshal(data, v)
	if err == nil {
		return true
	}
	if !isOdd(err) {
		return false
	}
	s.odd = odd(err)
	return true
}

// isOdd reports whether an error of json.Unmarshal is of a member alone: all others were
// read.
func isOdd(err error) bool {
	_, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok
}

// oddPart notes that a part of a message was not read as a whole.
func (s *state) oddPart(p *part) {
	if p.odd != nil {
		s.odd = p.odd
	}
}
