package adapter

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Folders are where an agent works, as its native event says.
type Folders struct {
	CWD   string   // its working directory; "" if it says none
	Roots []string // of its workspace, if that has several
}

// Folders reads the agent's folders out of the event, so that the right workspace is
// found before the event is decoded. Names count exactly, as codecs read them. A root
// on another machine is an error: its guards cannot be asked.
func (c *Call) Folders() (f Folders, err error) {
	native, err := c.object()
	if err != nil {
		return f, err
	}
	for _, name := range []string{"workspace_roots", "workspacePaths"} { // of Cursor, of Antigravity
		list, _ := native[name].([]any)
		for _, root := range list {
			dir, err := rootDir(root)
			if err != nil {
				return f, fmt.Errorf("%s: %w", name, err)
			}
			if dir != "" {
				f.Roots = append(f.Roots, dir)
			}
		}
	}
	f.CWD, _ = native["cwd"].(string)
	if f.CWD == "" && len(f.Roots) > 0 {
		f.CWD = f.Roots[0]
	}
	if f.CWD == "" {
		f.CWD, _ = native["directory"].(string) // OpenCode
	}
	return f, nil
}

// rootDir reads a root of a workspace: a path, or the URL of one.
func rootDir(root any) (string, error) {
	text, _ := root.(string)
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL || strings.ContainsAny(scheme, `/\ `) {
		return text, nil
	}
	host, path, _ := strings.Cut(rest, "/")
	if !strings.EqualFold(scheme, "file") || host != "" && !strings.EqualFold(host, "localhost") {
		return "", fmt.Errorf("%q is not a folder of this machine, and its guards cannot be asked", text)
	}
	plain, err := url.PathUnescape("/" + path)
	if err != nil {
		return "", fmt.Errorf("%q is not a URL of a folder: %w", text, err)
	}
	if runtime.GOOS == "windows" {
		plain = strings.TrimPrefix(plain, "/")
	}
	return filepath.FromSlash(plain), nil
}
