//go:build unix

package config

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// hostile are what a clone, or somebody on the machine, can put in a file's place.
var hostile = map[string]func(path string) error{
	"link to zero":      func(path string) error { return os.Symlink("/dev/zero", path) },
	"link to the top":   func(path string) error { return os.Symlink("/", path) },
	"link to /proc":     func(path string) error { return os.Symlink("/proc", path) },
	"link to the maps":  func(path string) error { return os.Symlink("/proc/self/maps", path) },
	"link to itself":    func(path string) error { return os.Symlink(path, path) },
	"pipe":              func(path string) error { return syscall.Mkfifo(path, 0o755) },
	"file of 3 GiB":     func(path string) error { return sparse(path, 3<<30) },
	"socket":            socket,
	"folder of folders": func(path string) error { return os.MkdirAll(filepath.Join(path, strings.Repeat("d/", 40)), 0o755) },
}

func sparse(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		err = f.Truncate(size)
		f.Close()
	}
	return err
}

// socket leaves a socket behind; its own name may be too long for one.
func socket(path string) error {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	return os.Rename(filepath.Join(dir, "s"), path)
}

// hostilePlaces are all that hookway opens or lists in a workspace. Those of
// scripts need a bundle, which takes longer.
var hostilePlaces = map[string]bool{
	"hookway.yaml": false, "hookway.yml": false, "tools/guard.sh": false, "tools": false, "secret": false, "hook.wasm": false,
	".claude": false, ".claude/settings.json": false, ".claude/settings.local.json": false,
	".hookway": false, ".hookway/hooks": false, ".hookway/hooks/x.sh": false, ".hookway/hooks/lib": false, ".acai/hooks": false, ".acai/hooks/y.py": false,
	"hookway.config.ts": true, "relay.config.ts": true, "s.ts": true, "lib.ts": true, "data.txt": true, "tsconfig.json": true, "package.json": true,
	"node_modules/p": true, "node_modules/p/package.json": true, ".hookway/hooks/z.ts": true,
}

// harmless makes the workspace anew. What its executables say of themselves is
// known from the time before.
func harmless(w *world, scripts bool) {
	w.must(os.RemoveAll(w.ws))
	w.must(os.MkdirAll(w.ws, 0o755))
	w.write(w.work("hookway.yaml"), `import: [claude]
hooks:
  - {id: a, on: PreToolUse, lane: guard, command: [./tools/guard.sh]}
`)
	w.write(w.work("tools/guard.sh"), guard("no"))
	w.write(w.work(".claude/settings.json"), "{}")
	w.write(w.work(".hookway/hooks/x.sh"), describing(`{"event":"PreToolUse"}`, "no"))
	w.write(w.work(".hookway/hooks/lib/l.sh"), "")
	w.write(w.work(".acai/hooks/y.py"), describing(`{"event":"PreToolUse"}`, "no"))
	if scripts {
		hooks := w.read("hookway.yaml") + "  - {id: s, on: PreToolUse, script: ./s.ts}\n"
		w.write(w.work("hookway.yaml"), hooks)
		w.write(w.work("s.ts"), "import './lib'; import './data.txt'; import 'p';\nexport default () => ({});\n")
		for name, text := range map[string]string{"lib.ts": "", "data.txt": "", "tsconfig.json": "{}", "package.json": "{}", "node_modules/p/package.json": "{}", "node_modules/p/index.js": ""} {
			w.write(w.work(name), text)
		}
	}
}

// bounded has a step end, with no more read than a workspace of a few lines needs.
func bounded(t *testing.T, step string, do func()) {
	t.Helper()
	before := disk.Count()
	over := make(chan struct{})
	go func() {
		defer close(over)
		do()
	}()
	select {
	case <-over:
	case <-time.After(patient):
		t.Fatalf("%s: it does not end", step)
	}
	if n := disk.Count() - before; n > 4<<20 {
		t.Errorf("%s: %d bytes were read", step, n)
	}
}

func TestWhateverAWorkspaceHoldsReadingItEnds(t *testing.T) {
	w := newWorld(t)
	opts := w.options()
	opts.Log = nil
	for place, scripts := range hostilePlaces {
		for kind, put := range hostile {
			if rare := []string{"link to /proc", "link to the maps", "link to itself", "socket", "folder of folders"}; slices.Contains(rare, kind) &&
				!slices.Contains([]string{"hookway.yaml", ".hookway/hooks", ".hookway/hooks/x.sh", "s.ts"}, place) {
				continue // one reader and one walker for all: it need not be tried everywhere
			}
			harmless(w, scripts)
			_, _, err := Untrust(opts)
			w.must(err)
			if !scripts {
				_, err := Trust(opts)
				w.must(err)
			}
			daemon := opts
			daemon.TrustedOnly = true
			live, err := Open(context.Background(), daemon, new(hook.Engine))
			w.must(err)
			at := w.work(place)
			w.must(os.RemoveAll(at))
			w.must(os.MkdirAll(filepath.Dir(at), 0o755))
			w.must(put(at))
			name := place + " as " + kind
			bounded(t, name+", in a daemon that runs", func() {
				set, err := live.Refresh(context.Background())
				endless := kind == "link to zero" && strings.Contains(place, "guard.sh")
				if said := set.Trust.State != trust.Given || len(set.Problems) > 0; err != nil || endless && !said {
					t.Errorf("%s: %v, %v", name, set.Trust, err)
				}
			})
			w.must(live.Close())
			for mode, opts := range map[string]Options{"the daemon": daemon, "list": opts} {
				bounded(t, name+", "+mode, func() {
					if set, err := Load(context.Background(), opts); err != nil {
						t.Errorf("%s, %s: %v", name, mode, err)
					} else {
						_ = set.Close()
					}
				})
			}
			bounded(t, name+", trust", func() { _, _ = Trust(opts) }) // it may well be refused
		}
	}
}
