package scaffold

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hookway/hookway/docs/schema"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/cases"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
)

//go:embed template
var templates embed.FS

// Kit is a hook that hookway init is about to write.
type Kit struct {
	Name    string
	Root    string // the workspace
	Trusted bool   // its hooks were, so that they stay it
	Todo    []Todo // what is left to the user

	// Building is called before a program is built; it may be nil.
	Building func(program string)

	options config.Options
	lang    *language
	python  string
	port    int
	files   []planned
	built   string
}

// planned is a file that init writes.
type planned struct {
	path string
	text []byte
	mode fs.FileMode
	old  bool // it is there, and gets a new text in the place of was
	was  []byte
	last bool // hooks are found by it, so that all else is there before
}

// Todo is what hookway init leaves to the user.
type Todo struct {
	File  string `json:"file"`
	List  string `json:"list"`
	Why   string `json:"why"`
	Lines string `json:"lines"`
}

// template reads a file of the language's, filled in.
func (k *Kit) template(name string) (string, error) {
	text, err := templates.ReadFile("template/" + k.lang.name + "/" + name)
	if strings.HasSuffix(name, ".wasm") {
		return string(text), err
	}
	return k.fill(string(text)), err
}

// plan works out what is written, and writes nothing.
func (k *Kit) plan() error {
	var err error
	if k.port, err = FreePort(); err != nil {
		return err
	}
	for _, s := range k.lang.sources {
		text, err := k.template(s[0])
		if err != nil {
			return err
		}
		k.add(s[1], text, 0o644)
	}
	if k.lang.name == "http" {
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // it does not fail
		k.add(".hookway/HOOKNAME.secret", "whsec_"+base64.StdEncoding.EncodeToString(secret)+"\n", 0o600)
	}
	if k.lang.output != "" {
		k.built = k.path(k.lang.output)
		if runtime.GOOS == "windows" && filepath.Ext(k.built) == "" {
			k.built += ".exe"
		}
	}
	if err := k.fresh(); err != nil {
		return err
	}
	if k.lang.name == "ts" {
		err = k.forEditors()
	} else {
		err = errors.Join(k.ignore(), k.entry())
	}
	if err != nil {
		return err
	}
	return k.cases()
}

// path is a file of the workspace.
func (k *Kit) path(name string) string {
	return filepath.Join(k.Root, filepath.FromSlash(strings.ReplaceAll(name, inName, k.Name)))
}

func (k *Kit) add(name, text string, mode fs.FileMode) {
	k.files = append(k.files, planned{path: k.path(name), text: []byte(text), mode: mode})
}

// fresh reports an error if a file of the hook's own is there already.
func (k *Kit) fresh() error {
	paths := []string{}
	for _, f := range k.files {
		paths = append(paths, f.path)
	}
	if k.built != "" {
		paths = append(paths, k.built)
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists already; choose another name with --name", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the file cannot be written: %w", err)
		}
	}
	return nil
}

// forEditors adds what tells editors the types of a script, where it is not there.
func (k *Kit) forEditors() error {
	settings, err := k.template("tsconfig.json")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{".hookway/hookway.d.ts": script.Types(), ".hookway/tsconfig.json": settings} {
		if existing(k.Root, name) == "" {
			k.add(name, text, 0o644)
		}
	}
	return nil
}

// ignore keeps from git what belongs to this machine.
func (k *Kit) ignore() error {
	if !k.lang.private {
		return nil
	}
	text, err := templates.ReadFile("template/gitignore")
	if err != nil {
		return err
	}
	path := k.path(".hookway/.gitignore")
	old, err := disk.Read(path, maxGrown)
	if errors.Is(err, fs.ErrNotExist) {
		k.add(".hookway/.gitignore", string(text), 0o644)
		return nil
	}
	if err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	lines := strings.Fields(string(old))
	has := map[string]bool{}
	for _, line := range lines {
		has[line] = true
	}
	more := ""
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !has[line] {
			more += line + "\n"
		}
	}
	if more != "" {
		if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
			more = "\n" + more
		}
		k.files = append(k.files, planned{path: path, text: []byte(string(old) + more), old: true, was: old})
	}
	return nil
}

// entry adds the hook to hookway.yaml.
func (k *Kit) entry() error {
	lines, err := k.template(cmp.Or(k.lang.entry, "hook.yaml"))
	if err != nil {
		return err
	}
	if path := existing(k.Root, "hookway.yaml", "hookway.yml"); path != "" {
		return k.grow(path, "hooks", lines, nil)
	}
	editorSchema, err := schema.Get("config")
	if err != nil {
		return err
	}
	if existing(k.Root, ".hookway/config.schema.json") == "" {
		k.add(".hookway/config.schema.json", string(editorSchema), 0o644)
	}
	k.add("hookway.yaml", "# yaml-language-server: $schema=.hookway/config.schema.json\nversion: 1\n\nhooks:\n"+lines, 0o644)
	k.files[len(k.files)-1].last = true
	return nil
}

// cases adds the hook's tests.
func (k *Kit) cases() error {
	lines, err := k.template("cases.yaml")
	if err != nil {
		return err
	}
	path := existing(k.Root, "hooks_test.yaml", "hooks_test.yml")
	if path == "" {
		k.add("hooks_test.yaml", "# What the hooks must do. `hookway test` runs these cases.\ncases:\n"+lines, 0o644)
		return nil
	}
	text, err := disk.Read(path, maxGrown)
	if err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	if bytes.Contains(text, []byte(k.lang.trigger)) { // another hook may refuse the same call before
		lines = strings.Replace(lines, ", by: "+k.Name, "", 1)
	}
	mistakes := func(text []byte) int {
		_, problems := cases.Parse(path, text, cases.Options{})
		return len(problems)
	}
	return k.grow(path, "cases", lines, func(grown []byte) error {
		if mistakes(grown) > mistakes(text) {
			return errors.New("it has cases of the same names")
		}
		return nil
	})
}

// maxGrown bounds a file of the project that is added to.
const maxGrown = 4 << 20

// grow adds lines to the list of a YAML file. What cannot be added safely is left
// to the user.
func (k *Kit) grow(path, list, lines string, check func([]byte) error) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("the file cannot be found: %w", err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	text, err := disk.Read(real, maxGrown)
	if err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	grown, err := appended(text, list, lines)
	if err == nil && check != nil {
		err = check(grown)
	}
	if err != nil {
		k.Todo = append(k.Todo, Todo{File: path, List: list, Why: err.Error(), Lines: lines})
		return nil
	}
	k.files = append(k.files, planned{path: real, text: grown, mode: info.Mode().Perm(), old: true, was: text, last: true})
	return nil
}

// FreePort is one at which nothing listens now, below those that systems give out.
func FreePort() (int, error) {
	for range 100 {
		n, err := rand.Int(rand.Reader, big.NewInt(10000))
		if err != nil {
			return 0, err
		}
		port := 20000 + int(n.Int64())
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port was found between 20000 and 29999")
}

// buildLimit bounds a build: the first one compiles the standard library.
const buildLimit = 10 * time.Minute

// build makes the program of the hook's source.
func (k *Kit) build(ctx context.Context, done *written) error {
	if k.built == "" {
		return nil
	}
	if k.Building != nil {
		k.Building(k.built)
	}
	if err := done.folder(filepath.Dir(k.built)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	args := append([]string{"build"}, k.lang.flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", k.built, ".")...)
	cmd.Dir = filepath.Dir(k.path(k.lang.source))
	cmd.Env = append(os.Environ(), append([]string{"GOWORK=off", "GOFLAGS=", "PWD=" + cmd.Dir}, k.lang.environ...)...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go cannot build %s: %w\n%s", k.source(), errors.Join(err, ctx.Err()), bytes.TrimSpace(out))
	}
	done.files = append(done.files, k.built)
	return nil
}

// source is where the hook's source is, as people write it.
func (k *Kit) source() string { return strings.ReplaceAll(k.lang.source, inName, k.Name) }

// again is the line that builds the hook anew, or "".
func (k *Kit) again() string {
	switch {
	case k.lang.name == "go":
		return k.fill("go -C FOLDER build -o ../../.hookway/bin/")
	case k.lang == &wat:
		return k.fill("wat2wasm FOLDER.wat -o FOLDER.wasm")
	case k.lang.name == "wasm":
		return k.fill("GOOS=wasip1 GOARCH=wasm go -C FOLDER build -buildmode=c-shared -ldflags='-s -w' -o ../HOOKNAME.wasm")
	}
	return ""
}

// Paths are the files that were written, or those that were added to.
func (k *Kit) Paths(old bool) []string {
	out := []string{}
	for _, f := range k.files {
		if f.old == old {
			out = append(out, f.path)
		}
	}
	if k.built != "" && !old {
		out = append(out, k.built)
	}
	return out
}

// Lang is the language as hookway init --lang names it.
func (k *Kit) Lang() string { return k.lang.name }
