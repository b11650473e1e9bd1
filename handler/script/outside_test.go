package script

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

func TestDataFromOutsideNeedsTheGrantRead(t *testing.T) {
	outside := files(t, map[string]string{"secret.json": `{"key": "k1"}`, "secret.txt": "k2", "secret.ts": "export default 'code';\n", "node_modules/p/data.json": `{"key": "pack"}`})
	in := filepath.ToSlash(outside)
	for name, c := range map[string]struct {
		text, says string
		refused    bool
	}{
		"JSON":               {"import d from '" + in + "/secret.json';\nexport default () => ({ action: 'block', reason: d.key });", "k1", true},
		"text":               {"import d from '" + in + "/secret.txt';\nexport default () => ({ action: 'block', reason: d });", "k2", true},
		"code as text":       {"import d from '" + in + "/secret.ts' with { type: 'text' };\nexport default () => ({ action: 'block', reason: d.trim() });", "export default 'code';", true},
		"a link":             {"import d from './link.json';\nexport default () => ({ action: 'block', reason: d.key });", "k1", true},
		"a link named .ts":   {"import d from './link.ts' with { type: 'text' };\nexport default () => ({ action: 'block', reason: d });", "k2", true},
		"require":            {"const d = require('" + in + "/secret.json');\nexport default () => ({ action: 'block', reason: d.key });", "k1", true},
		"code":               {"import d from '" + in + "/secret.ts';\nexport default () => ({ action: 'block', reason: d });", "code", false},
		"a package's":        {"import d from '" + in + "/node_modules/p/data.json';\nexport default () => ({ action: 'block', reason: d.key });", "pack", false},
		"the workspace's":    {"import d from './own.json';\nexport default () => ({ action: 'block', reason: d.key });", "own", false},
		"its own, as a link": {"import d from './inner.json';\nexport default () => ({ action: 'block', reason: d.key });", "own", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, map[string]string{"hook.ts": c.text, "own.json": `{"key": "own"}`})
			for link, to := range map[string]string{"link.json": "secret.json", "link.ts": "secret.txt"} {
				if err := os.Symlink(filepath.Join(outside, to), filepath.Join(dir, link)); err != nil {
					t.Skip("no links here:", err)
				}
			}
			if err := os.Symlink("own.json", filepath.Join(dir, "inner.json")); err != nil {
				t.Fatal(err)
			}
			_, err := Build(filepath.Join(dir, "hook.ts"), dir)
			if (err != nil) != c.refused {
				t.Errorf("got %v, want a refusal: %v", err, c.refused)
			} else if text := fmt.Sprint(err); c.refused && !regexp.MustCompile(`^hook\.ts:1:.*give the script the grant read.*$`).MatchString(text) {
				t.Errorf("got %q, want one line with the place and the grant", text)
			}
			if d, err := limited(runIn(t, dir, Read), time.Minute, "ls"); err != nil || d.Reason != c.says {
				t.Errorf("with the grant: %+v, %v", d, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "hook.ts"), []byte(c.text+"\nexport const allow = ['read'];\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Build(filepath.Join(dir, "hook.ts"), dir); err != nil {
				t.Errorf("asking for it: %v", err)
			}
			if _, err := Build(filepath.Join(dir, "hook.ts"), dir, []Grant{}...); c.refused != (err != nil) {
				t.Errorf("asking for it, and not given: %v", err)
			}
		})
	}
}
