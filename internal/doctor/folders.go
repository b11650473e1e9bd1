package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/wire/call"
)

// littleRoom is how much of a disk must be free so that nothing is said.
const littleRoom = 64 << 20

// folders looks at where hookway keeps what it knows, and where it meets agents.
func (c *Checkup) folders() Section {
	s := Section{Name: "folders", Title: "Folders"}
	c.stateFolder(&s)
	c.socketFolder(&s)
	return s
}

func (c *Checkup) stateFolder(s *Section) {
	info, err := os.Stat(c.state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.ok("%s is made when there is something to keep", c.state)
		return
	case err != nil:
		s.fail("make it readable, or set HOOKWAY_HOME to another folder", "the state folder cannot be used: %v", err)
		return
	case !info.IsDir():
		s.fail("move the file away", "the state folder %s is a file", c.state)
		return
	}
	if why, mend := ownedByOther(c.state, info); why != "" {
		s.fail(mend, "the state folder %s %s: trust and audit records in it are not only yours", c.state, why)
		return
	}
	if info.Mode().Perm()&0o077 != 0 && suffix() == "" {
		s.warn("chmod 700 "+c.state, "the state folder %s is open to others, who can read what agents did", c.state)
	}
	c.audit(s)
	if err := writable(c.state); err != nil {
		s.fail(mendWrite(err, c.state), "nothing can be written into the state folder: %v; hooks are still answered, without an audit record", err)
		return
	}
	if left, ok := free(c.state); ok && left < littleRoom {
		s.warn("make room on the disk of "+c.state, "the disk of the state folder has %d MiB left; audit records need room", left>>20)
		return
	}
	s.ok("%s, state and audit records", c.state)
}

// audit looks at the folder of the audit records.
func (c *Checkup) audit(s *Section) {
	dir := c.auditDir()
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.fail("make it readable", "the audit records cannot be used: %v", err)
	case info.Mode().Perm()&0o077 != 0 && suffix() == "":
		s.warn("chmod 700 "+dir, "the audit records in %s are open to others", dir)
	}
}

func (c *Checkup) auditDir() string { return filepath.Join(c.state, "audit") }

func (c *Checkup) socketFolder(s *Section) {
	err := call.CheckDir(c.places.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.ok("%s is made when the daemon starts", c.places.Dir)
	case errors.Is(err, call.ErrForeign):
		what, mend, _ := strings.Cut(err.Error(), "; ")
		s.fail(orText(mend, "set HOOKWAY_HOME to a folder of your own"), "%s: its owner could answer, so no daemon is asked", what)
	case err != nil:
		s.fail("make it usable, or set HOOKWAY_HOME to another folder", "the folder of the socket cannot be used: %v", err)
	default:
		if err := writable(c.places.Dir); err != nil {
			s.fail(mendWrite(err, c.places.Dir), "no daemon can be started: %v", err)
			return
		}
		s.ok("%s, the daemon's socket", c.places.Dir)
	}
}

// writable tries to write a little into a folder.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strings.Repeat("hookway doctor\n", 300))
	return errors.Join(err, f.Sync(), f.Close())
}

func mendWrite(err error, dir string) string {
	if full(err) {
		return "the disk is full: make room on the disk of " + dir
	}
	return "give yourself the right to write into " + dir
}
