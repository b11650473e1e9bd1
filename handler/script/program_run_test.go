package script

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var byNode = flag.Bool("node", false, "run the programs of testdata/programs by Node, too; with -update, write down what it says")

// programCase is a program in the idioms of public hooks: its files, what it
// reads, and how it ends under Node. The files of the archive are put into an
// empty folder; those below want/ are what must be there afterwards.
type programCase struct {
	path   string
	files  map[string]string
	main   string
	want   map[string]string // stdout, stderr, code, and files
	input  string
	args   []string
	ours   bool // Node of this age cannot run it
	loose  bool // its stderr is Node's own words: only the line that names the error counts
	shaped *txtar.Archive
}

func readProgram(t *testing.T, path string) *programCase {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &programCase{path: path, files: map[string]string{}, want: map[string]string{}, shaped: a}
	c.ours = strings.Contains(string(a.Comment), "ours")
	c.loose = strings.Contains(string(a.Comment), "loose")
	for _, f := range a.Files {
		text := string(f.Data)
		switch name, wanted := strings.CutPrefix(f.Name, "want/"); {
		case wanted:
			c.want[name] = text
		case f.Name == "stdin":
			c.input = strings.TrimSuffix(text, "\n")
		case f.Name == "args":
			c.args = strings.Fields(text)
		default:
			if c.main == "" {
				c.main = f.Name
			}
			c.files[f.Name] = text
		}
	}
	return c
}

// saw is what a run has left: its output, its code and its files, without what
// differs from run to run.
func (c *programCase) saw(dir, stdout, stderr string, code int) map[string]string {
	clean := func(s string) string { return strings.ReplaceAll(s, dir, "$DIR") }
	got := map[string]string{"stdout": clean(stdout), "stderr": clean(stderr), "code": fmt.Sprintln(code)}
	if c.loose {
		got["stderr"] = loosely(got["stderr"])
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, path)
			if rel = filepath.ToSlash(rel); c.files[rel] == "" {
				data, _ := os.ReadFile(path)
				got["files/"+rel] = clean(string(data))
			}
		}
		return nil
	})
	for name, text := range got { // an archive keeps whole lines only
		if text != "" && !strings.HasSuffix(text, "\n") {
			got[name] = text + "\n"
		}
	}
	return got
}

// loosely keeps the lines of an uncaught error that name it.
func loosely(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		if name, _, ok := strings.Cut(line, ": "); ok && strings.HasSuffix(name, "Error") && !strings.Contains(name, " ") {
			kept = append(kept, strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(line, "\n"), " {"), " "))
		}
	}
	return strings.Join(slices.Compact(kept), "\n")
}

func (c *programCase) put(t *testing.T) string {
	t.Helper()
	dir := files(t, c.files)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

func programEnv(dir string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CLAUDE_PROJECT_DIR=" + dir, "LANG=C.UTF-8", "TZ=UTC", "NODE_NO_WARNINGS=1"}
}

// embedded runs the program here.
func (c *programCase) embedded(t *testing.T) map[string]string {
	dir := c.put(t)
	var stdout, stderr bytes.Buffer
	b, err := BuildProgram(filepath.Join(dir, c.main), dir, Grants()...)
	if err != nil {
		return c.saw(dir, "", err.Error(), 1)
	}
	p := Open(b, Config{Root: dir, Allow: Grants()})
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	code, err := p.Run(ctx, Run{Args: c.args, Dir: dir, Environ: programEnv(dir), Stdin: strings.NewReader(c.input), Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		fmt.Fprintf(&stderr, "hookway: %v", err)
	}
	return c.saw(dir, stdout.String(), stderr.String(), code)
}

// native runs the program by Node.
func (c *programCase) native(t *testing.T, node string) map[string]string {
	dir := c.put(t)
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{filepath.Join(dir, c.main)}, c.args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, programEnv(dir), strings.NewReader(c.input), &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.saw(dir, stdout.String(), stderr.String(), cmd.ProcessState.ExitCode())
}

func (c *programCase) write(t *testing.T, got map[string]string) {
	t.Helper()
	c.shaped.Files = slices.DeleteFunc(c.shaped.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
	names := []string{}
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if got[name] != "" {
			c.shaped.Files = append(c.shaped.Files, txtar.File{Name: "want/" + name, Data: []byte(got[name])})
		}
	}
	if err := os.WriteFile(c.path, txtar.Format(c.shaped), 0o644); err != nil {
		t.Fatal(err)
	}
	c.want = got
}

// Programs in the idioms of public hooks end here as they do under Node: the same
// output, code and files. What Node said is checked in; -node asks it again.
func TestProgramsEndAsUnderNode(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the programs run a shell, and there is none")
	}
	cases, err := filepath.Glob("testdata/programs/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("there are no programs", err)
	}
	node := ""
	if *byNode {
		if node, err = exec.LookPath("node"); err != nil {
			t.Skip("there is no Node here")
		}
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			c := readProgram(t, path)
			if node != "" && !c.ours {
				if native := c.native(t, node); *update {
					c.write(t, native)
				} else {
					c.compare(t, "Node", native)
				}
			}
			c.compare(t, "hookway", c.embedded(t))
		})
	}
}

func (c *programCase) compare(t *testing.T, who string, got map[string]string) {
	t.Helper()
	for name := range got {
		if got[name] != c.want[name] {
			t.Errorf("%s: %s is\n%s\nwant\n%s", who, name, got[name], c.want[name])
		}
	}
	for name := range c.want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: %s is not there", who, name)
		}
	}
}
