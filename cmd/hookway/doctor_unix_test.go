//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/install"
)

// TestDoctorProvesRealPrograms runs the self-test of every agent through the
// real shim and a real daemon, and then with a daemon that may not be asked.
func TestDoctorProvesRealPrograms(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "bin", "hookway") // by that name, this binary is hookway
	build := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "bin", "hookway-hook"), "../hookway-hook")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	placeSelf(t, program)
	home := filepath.Join(dir, "home")
	hookway := func(args ...string) ([]byte, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "HOOKWAY_HOME=" + filepath.Join(dir, "hw"), "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
		cmd.Stderr = os.Stderr
		return cmd.Output()
	}
	if out, err := hookway(append([]string{"install", "--json", "--yes"}, install.Agents()...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := hookway("stop"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	look := func(args ...string) (report examined) {
		t.Helper()
		out, _ := hookway(append([]string{"doctor", "--json"}, args...)...) // the exit code is that of the findings
		if err := json.Unmarshal(out, &report); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return report
	}
	report := look(append([]string{"--live"}, install.Agents()...)...)
	if report.Failures > 0 || texts(report, "start")[0] == "" {
		t.Errorf(`got %+v, want report.Failures == 0 and texts(report, "start")[0] != ""`, report)
	}
	tested := texts(report, "selftest")
	if len(tested) != len(install.Agents()) {
		t.Errorf("%d agents were tested: %q", len(tested), tested)
	}
	for i, text := range tested {
		if !strings.HasPrefix(text, install.Agents()[i]+" (user): ") || !strings.Contains(text, "refuses what it must and passes the rest") {
			t.Errorf(`got %v, want strings.HasPrefix(text, install.Agents()[i]+" (user): ") and strings.Contains(text, "refuses what it must and passes the rest")`, text)
		}
	}
	if got := texts(look("claude"), "daemon"); !strings.Contains(got[0], "runs (pid ") {
		t.Errorf(`got %q, want strings.Contains(got[0], "runs (pid ")`, got)
	}

	// A folder that others could enter: the shim asks no daemon there, and answers all the same.
	if err := os.Chmod(filepath.Join(dir, "hw", "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	report = look("--live", "gemini")
	if got := strings.Join(texts(report, "selftest"), "\n"); !strings.Contains(got, "gemini (user): BeforeTool refuses") {
		t.Errorf(`got %v, want strings.Contains(got, "gemini (user): BeforeTool refuses")`, got)
	}
	if got := strings.Join(texts(report, "folders"), "\n"); report.OK || !strings.Contains(got, "no daemon is asked") {
		t.Errorf(`got %v, want !report.OK and strings.Contains(got, "no daemon is asked")`, got)
	}
	if got := strings.Join(texts(look("gemini"), "history"), "\n"); !strings.Contains(got, "hookway-hook, gemini BeforeTool: ") {
		t.Errorf("shim.log is not shown: %s", got)
	}
	if err := os.Chmod(filepath.Join(dir, "hw", "run"), 0o700); err != nil { // so that it can be stopped
		t.Fatal(err)
	}
}

// texts are the findings of a section.
func texts(report examined, section string) (found []string) {
	for _, s := range report.Sections {
		if s.Name == section {
			for _, f := range s.Findings {
				found = append(found, f.Text)
			}
		}
	}
	return found
}
