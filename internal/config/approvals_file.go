package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// ApprovalsFile reads how an ask reaches a person from the administrator's configuration
// and the user's, and nothing else of them. A mistake elsewhere in a file does not matter.
type ApprovalsFile struct {
	Getenv  func(string) string
	Managed Managed

	was string // of the files, when they were read last
}

// Read reads the files if they have changed since the last time. A mistake is an error,
// also the next time: what was read before it goes on counting.
func (f *ApprovalsFile) Read() (a Approvals, changed bool, err error) {
	dir, _, err := Places(f.Getenv)
	if err != nil {
		return a, false, err
	}
	user := filepath.Join(dir, fileName)
	if _, err := os.Stat(user); errors.Is(err, fs.ErrNotExist) {
		user = filepath.Join(dir, fileNameYML)
	}
	managed := ""
	if d := f.Managed.dir(); d != "" {
		managed = filepath.Join(d, fileName)
	}
	is := ""
	for _, path := range []string{managed, user} {
		if info, err := os.Stat(path); err == nil {
			is += fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano())
		}
	}
	if is == f.was {
		return a, false, nil
	}
	above, err := approvalsIn(managed, func() ([]byte, error) { return trust.Read(managed, strict.MaxFile, f.Managed.check, nil) })
	if err != nil {
		return a, false, err
	}
	own, err := approvalsIn(user, func() ([]byte, error) {
		if info, err := os.Stat(dir); err == nil {
			if err := trust.CheckOwner(dir, info); err != nil {
				return nil, err
			}
		}
		return keptFile(user)
	})
	if err != nil {
		return a, false, err
	}
	a = Approvals{Hold: HoldAuto, Timeout: DefaultApprovalTimeout}
	a.take(above, LayerManaged, filepath.Dir(managed), nil)
	a.take(own, LayerUser, dir, above)
	f.was = is
	return a, true, nil
}

// approvalsIn finds the approvals in a file; nil if it says nothing of them, or is not there.
func approvalsIn(path string, read func() ([]byte, error)) (*approvalsSpec, error) {
	if path == "" {
		return nil, nil
	}
	data, err := read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("how asks reach a person cannot be read: %w", err)
	}
	root, problems := strict.Document(path, data)
	if len(problems) > 0 {
		return nil, fmt.Errorf("how asks reach a person cannot be read: %w", problems)
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, nil
	}
	r := &reader{Reader: strict.Reader{File: path}}
	for _, p := range r.Pairs(root) {
		if p.Key.Value != "approvals" {
			continue
		}
		r.Problems = nil // of other parts of the file
		s := &approvalsSpec{node: p.Value}
		if object(r, p.Value, "approvals", approvalsKeys(), s); len(r.Problems) > 0 {
			return nil, fmt.Errorf("how asks reach a person: %w", r.Problems)
		}
		return s, nil
	}
	return nil, nil
}
