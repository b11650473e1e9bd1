//go:build linux

package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/client"
	"github.com/hookway/hookway/internal/bench/model"
)

// TestACallOfClaudeCodeIsAnsweredInThePage: the published program waits in its hook; a yes
// in the page lets that call run, and a no with a note stops the next one.
func TestACallOfClaudeCodeIsAnsweredInThePage(t *testing.T) {
	program := os.Getenv(client.Claude.Variable)
	if program == "" {
		t.Skipf("SKIPPED: no call of the real Claude Code is answered in the page, because %s names no program", client.Claude.Variable)
	}
	script, err := model.Start(model.Turn{Shell: "touch ./wanted"}, model.Turn{Shell: "touch ./unwanted"})
	check(t, err)
	t.Cleanup(func() { check(t, script.Close()) })
	w := newWorld(t, asksAbout)
	w.holds("")
	settings := client.Claude.Settle(client.World{Home: w.home, Project: w.project, URL: script.URL()})
	for file, text := range settings.Files {
		w.write(file, text)
	}
	w.env = append(w.env, settings.Env...)
	w.env = append(w.env, "HTTPS_PROXY="+script.URL(), "HTTP_PROXY="+script.URL(), "NO_PROXY=127.0.0.1,localhost")
	for i, v := range w.env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			w.env[i] = "PATH=" + path + ":" + filepath.Dir(program) + ":" + nodeDir()
		}
	}
	w.hookway("install", "claude", "--yes")
	p := w.page("approvals")
	agent := w.command(t.Context(), program, append(slices.Clone(client.Claude.Argv), "Please run the command.")...)
	var said strings.Builder
	agent.Stdout, agent.Stderr = &said, &said
	check(t, agent.Start())
	ended := make(chan error, 1)
	go func() { ended <- agent.Wait() }()

	p.until("the call is asked about", `document.querySelector(".approval, [data-code]")?.innerText.includes("touch ./wanted")`)
	if w.has("wanted") {
		t.Error("the call has run before anybody answered")
	}
	p.button("Allow")
	p.until("the next call is asked about", `[...document.querySelectorAll("[data-code]")].some(e => e.innerText.includes("touch ./unwanted"))`)
	if !w.has("wanted") {
		t.Error("after a yes in the page the call has not run")
	}
	p.types(`[data-code] input[type=text]`, "Not this one, please")
	p.button("Deny")
	if err := <-ended; err != nil {
		t.Errorf("Claude Code: %v\n%s", err, &said)
	}
	if w.has("unwanted") {
		t.Error("after a no in the page the call has run")
	}
	requests := script.Requests()
	if last := requests[len(requests)-1]; len(last.Results) != 2 || !strings.Contains(last.Results[1], "Not this one, please") {
		t.Errorf("the model was told %q, want the note", last.Results)
	}
	p.view("now")
	p.until("both are among the decisions", `["touch ./wanted", "touch ./unwanted"].every(c => document.querySelector("main").innerText.includes(c))`)
	proves(t, "a call of the real Claude Code waits for the page: after a yes there it runs, after a no it does not")
}

func (w *world) has(file string) bool {
	_, err := os.Stat(filepath.Join(w.project, file))
	return err == nil
}

// nodeDir is where node is: npm's launchers look for it on PATH.
func nodeDir() string {
	node, err := exec.LookPath("node")
	if err != nil {
		return "/usr/bin"
	}
	return filepath.Dir(node)
}

// proves says what a test has seen, for the table of make proof.
func proves(t *testing.T, format string, args ...any) {
	t.Helper()
	if !t.Failed() {
		t.Logf("proof: "+format, args...)
	}
}
