package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hookway/hookway/internal/disk"
)

var update = flag.Bool("update", false, "bundle the page anew")

// maxBundle bounds what a browser loads before the page is there.
const maxBundle = 250 << 10

// The page that is checked in is the one of the sources beside it, and of the packages
// that package-lock.json names.
func TestThePageIsOfItsSources(t *testing.T) {
	modules := packages(t)
	made := bundleSources(t, modules)
	if *update {
		if err := os.RemoveAll("dist"); err != nil {
			t.Fatal(err)
		}
		for name, text := range made {
			if err := errors.Join(os.MkdirAll("dist", 0o755), os.WriteFile(filepath.Join("dist", name), text, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	there, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		text, err := os.ReadFile(filepath.Join("dist", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, made[f.Name()]) {
			t.Errorf("dist/%s is not what its sources make; run make page, and check it in", f.Name())
		}
		delete(made, f.Name())
	}
	for name := range made {
		t.Errorf("dist/%s is missing; run make page, and check it in", name)
	}
	if out, err := exec.Command("node", filepath.Join(modules, "typescript", "bin", "tsc"), "-p", ".", "--typeRoots", modules, "--baseUrl", modules).CombinedOutput(); err != nil {
		t.Errorf("the types are wrong: %v\n%s", err, out)
	}
}

func TestThePageIsSmall(t *testing.T) {
	size := 0
	for name, f := range theBundle().files {
		if name != "/" {
			size += len(f.text)
		}
		if f.contentType == "" {
			t.Errorf("%s has a type that is not served", name)
		}
	}
	t.Logf("the page has %d bytes", size)
	if size == 0 || size > maxBundle {
		t.Errorf("the page has %d bytes, want %d at most", size, maxBundle)
	}
}

// bundleSources makes what dist has.
func bundleSources(t *testing.T, modules string) map[string][]byte {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: "src/main.ts", OutputPath: "page"}, {InputPath: "src/first.ts", OutputPath: "first"}},
		AbsWorkingDir:       dir, Bundle: true, Outdir: filepath.Join(dir, "dist"), Write: false,
		Format: api.FormatIIFE, Platform: api.PlatformBrowser, Target: api.ES2022, Charset: api.CharsetASCII,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		Define:    map[string]string{"process.env.NODE_ENV": `"production"`},
		NodePaths: []string{modules}, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		t.Fatalf("got %v, want len(result.Errors) == 0", strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	made := map[string][]byte{}
	for _, f := range result.OutputFiles {
		made[filepath.Base(f.Path)] = f.Contents
	}
	for _, pattern := range []string{"src/*.html", "src/*.svg"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if made[filepath.Base(name)], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return made
}

// packages are the node_modules of package-lock.json, in the cache of tests that need what
// is published.
func packages(t *testing.T) string {
	t.Helper()
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("HOOKWAY_E2E_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Skip(err)
		}
		cache = filepath.Join(dir, "hookway-e2e")
	}
	sum := sha256.Sum256(lock)
	to := filepath.Join(cache, "page-"+hex.EncodeToString(sum[:8]))
	modules := filepath.Join(to, "node_modules")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := disk.LockFile(ctx, to+".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := os.Stat(modules); err == nil {
		return modules
	}
	if err := install(ctx, to); err != nil {
		t.Skipf("SKIPPED: dist of the page is not held to its sources: %v", err)
	}
	return modules
}

// install has npm install what package-lock.json names: whole, or not at all.
func install(ctx context.Context, to string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(fresh, name), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0", "--fetch-timeout=15000")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return os.Rename(fresh, to)
}
