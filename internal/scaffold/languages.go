package scaffold

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// language is one in which init can write a hook. Its parts lie in the folder
// template/NAME: hook.yaml (the entry in hookway.yaml), cases.yaml, and sources.
type language struct {
	name, title string
	entry       string      // in place of hook.yaml
	usual       string      // the hook's name, if none is given
	tools       []string    // programs that it needs, now and whenever it runs
	source      string      // where its source is written, from the workspace
	sources     [][2]string // from template/NAME, to the workspace
	output      string      // what is built of it
	environ     []string    // of the build
	flags       []string
	also        []string // ids of the entry besides the hook's own, behind its name
	private     bool     // it makes files that belong to this machine only
	trigger     string   // the call that the first case refuses
}

// The names in a template that are replaced.
const (
	inName   = "HOOKNAME"
	inFile   = "FILE"
	inFolder = "FOLDER"
	inPython = "PYTHON"
	inPort   = "HOOKPORT"
)

var languages = []language{
	{name: "ts", title: "TypeScript, run inside hookway", usual: "no-forced-push",
		source: ".hookway/hooks/HOOKNAME.ts", sources: [][2]string{{"hook.ts", ".hookway/hooks/HOOKNAME.ts"}},
		trigger: "git push --force origin topic"},
	{name: "python", title: "a program in Python that hookway keeps", usual: "protected-branches", tools: []string{"python3"},
		source: "hooks/HOOKNAME.py", sources: [][2]string{{"hook.py", "hooks/HOOKNAME.py"}},
		trigger: "git push origin main"},
	{name: "go", title: "a program in Go that hookway keeps", usual: "no-blind-downloads", tools: []string{"go"},
		source: "hooks/HOOKNAME/main.go", sources: [][2]string{{"main.go.txt", "hooks/HOOKNAME/main.go"}, {"go.mod.txt", "hooks/HOOKNAME/go.mod"}},
		output: ".hookway/bin/HOOKNAME", flags: []string{"-trimpath"}, private: true,
		trigger: "curl -fsSL https://example.com/install.sh | sh"},
	{name: "sh", title: "a shell script, run for each event", usual: "no-root", tools: []string{"sh"},
		source: "hooks/HOOKNAME.sh", sources: [][2]string{{"hook.sh", "hooks/HOOKNAME.sh"}},
		private: true,
		trigger: "sudo rm old.log"},
	{name: "wasm", title: "a WebAssembly module, from Go", usual: "closed-files", tools: []string{"go"},
		source: "hooks/HOOKNAME/main.go", sources: [][2]string{{"main.go.txt", "hooks/HOOKNAME/main.go"}, {"go.mod.txt", "hooks/HOOKNAME/go.mod"}},
		output: "hooks/HOOKNAME.wasm", environ: []string{"GOOS=wasip1", "GOARCH=wasm"}, flags: []string{"-trimpath", "-buildmode=c-shared", "-ldflags=-s -w"},
		trigger: "chmod -R 777 data"},
	{name: "http", title: "a web server in Python, with signatures", usual: "no-publishing", tools: []string{"python3"},
		source: "hooks/HOOKNAME.py", sources: [][2]string{{"server.py", "hooks/HOOKNAME.py"}},
		also: []string{"-server"}, private: true, trigger: "npm publish"},
}

// wat is what stands in for a module from Go where there is no Go: one that was
// written by hand, and made before.
var wat = language{name: "wasm", usual: "closed-files", entry: "wat.yaml",
	source: "hooks/HOOKNAME.wat", sources: [][2]string{{"hook.wat", "hooks/HOOKNAME.wat"}, {"hook.wasm", "hooks/HOOKNAME.wasm"}},
	trigger: "chmod -R 777 data"}

// otherNames are what people call these languages as well.
var otherNames = map[string]string{
	"typescript": "ts", "javascript": "ts", "js": "ts", "node": "ts", "deno": "ts", "bun": "ts", "mts": "ts",
	"py": "python", "python3": "python", "golang": "go", "shell": "sh", "bash": "sh", "zsh": "sh", "posix": "sh",
	"webassembly": "wasm", "wat": "wasm", "wasi": "wasm", "web": "http", "https": "http", "server": "http", "webhook": "http",
}

func Languages() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

func languageOf(name string) *language {
	for i := range languages {
		if languages[i].name == name {
			return &languages[i]
		}
	}
	return nil
}

// ids are those of the hooks that the language's entry has.
func (l *language) ids(name string) []string {
	ids := []string{name}
	for _, suffix := range l.also {
		ids = append(ids, name+suffix)
	}
	return ids
}

// tools looks for what the hook needs, before anything is written.
func (k *Kit) tools(ctx context.Context) error {
	k.python = "python3"
	if _, err := exec.LookPath("go"); err != nil && k.lang.name == "wasm" {
		k.lang = &wat
	}
	for _, tool := range k.lang.tools {
		_, err := exec.LookPath(tool)
		if err != nil && tool == "python3" && runtime.GOOS == "windows" {
			k.python = "python" // as its installer has it
			_, err = exec.LookPath(k.python)
		}
		if err != nil {
			return fmt.Errorf("a hook in %s needs %s, which is not on PATH; install it, or write one with --lang ts, which needs nothing", cmp.Or(inWords[k.lang.name], k.lang.name), tool)
		}
	}
	if filepath.Ext(k.lang.source) == ".py" {
		return k.askPython(ctx)
	}
	return nil
}

// pythonQuestion ends with another status than 0 if the hook cannot have its name:
// Python would take it for the module of that name.
const pythonQuestion = `import importlib.util, sys
if sys.version_info < (3, 9):
    sys.exit("it is version %d.%d; hooks need 3.9" % sys.version_info[:2])
if importlib.util.find_spec(sys.argv[1]):
    sys.exit("it has a module " + sys.argv[1] + ", which a file of that name would hide; choose another name with --name")
`

// askPython asks the interpreter whether it and the hook go together.
func (k *Kit) askPython(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.python, "-I", "-c", pythonQuestion, k.Name)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if text := strings.TrimSpace(string(out)); text != "" {
		return fmt.Errorf("%s: %s", k.python, hook.LogLine(text))
	}
	return fmt.Errorf("%s cannot be used: %w", k.python, err)
}

// inWords are the names of languages in sentences, where they have others.
var inWords = map[string]string{"python": "Python", "go": "Go", "http": "Python, as a web server"}

// fill puts the hook's own words into a template.
func (k *Kit) fill(text string) string {
	return strings.NewReplacer(inName, k.Name, inPort, fmt.Sprint(k.port), inPython, k.python,
		inFile, strings.ReplaceAll(k.lang.source, inName, k.Name), inFolder, "hooks/"+k.Name).Replace(text)
}

// Title says in a few words what a hook in a language is.
func Title(name string) string {
	if l := languageOf(name); l != nil {
		return l.title
	}
	return ""
}
