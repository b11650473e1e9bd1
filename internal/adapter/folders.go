package adapter

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hookway/hookway/wire"
)

// Folders are where an agent works, as its native event says.
type Folders struct {
	CWD   string   // its working directory; "" if it says none
	Roots []string // of its workspace, if that has several
}

// FoldersIn reads an agent's folders out of its native event, so that the right
// workspace is found before the event is decoded. Names count exactly, as codecs
// read them. A root that is on another machine is an error: its guards cannot be
// asked.
func FoldersIn(stdin []byte) (f Folders, err error) {
	if err := wire.Bounded(stdin); err != nil {
		return f, fmt.Errorf("this event is too large: %w", err)
	}
	base, err := wire.Members(stdin)
	if err != nil {
		return f, fmt.Errorf("stdin is not a JSON object: %w", err)
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(base[name], &s) // of another type: no folder, and the codec decides what that means
		return s
	}
	for _, name := range []string{"workspace_roots", "workspacePaths"} { // of Cursor, of Antigravity
		var list []any
		_ = json.Unmarshal(base[name], &list)
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
	f.CWD = text("cwd")
	if f.CWD == "" && len(f.Roots) > 0 {
		f.CWD = f.Roots[0]
	}
	if f.CWD == "" {
		f.CWD = text("directory") // OpenCode
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
