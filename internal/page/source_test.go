package page

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// The parts of the page that need no browser are tested beside their sources: what is
// read of answers, what is made visible, where rows and items lie.
func TestThePartsOfThePage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: the parts of the page are not tested, because node is not installed")
	}
	modules := packages(t)
	tests, err := filepath.Glob("src/test/*.test.ts")
	if err != nil || len(tests) == 0 {
		t.Fatalf("there are no tests in src/test: %v", err)
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	result := api.Build(api.BuildOptions{
		EntryPoints: tests, AbsWorkingDir: dir, Bundle: true, Outdir: out, Write: true,
		Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022, OutExtension: map[string]string{".js": ".mjs"},
		NodePaths: []string{modules}, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		t.Fatalf("got %v, want len(result.Errors) == 0", strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, node, "--test", out).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
