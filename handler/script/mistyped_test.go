package script

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnExportThatIsNearlyAnOptionIsAMistake(t *testing.T) {
	for text, want := range map[string]string{
		"export const timout = 500;":              "hook.ts:2:14: it exports timout, which is not an option of a hook; did you mean timeout?",
		"export const priorty: number = 3;":       "hook.ts:2:14: it exports priorty, which is not an option of a hook; did you mean priority?",
		"const lnae = 'guard';\nexport { lnae };": "it exports lnae, which is not an option of a hook; did you mean lane?",
		"export const Match = {};":                "did you mean match?",
		"export const onFailur = 'block';":        "did you mean onFailure?",
		"export const timout = 1, lan = 'x';":     "did you mean lane?",
		"export const allowed = ['rm'];":          "",
		"export const limit = 3, version = '1';":  "",
		"export const patch = () => 1;":           "", // no option is a function
		"export const timeout = 5, lane = 'guard', maxRetries = 1, timeoutMs = 3, id = 'x', allow = ['net'];": "",
		"const x = 1; export { x as '' };": "",
	} {
		t.Run(text, func(t *testing.T) {
			dir := files(t, map[string]string{"hook.ts": "export const on = 'Stop';\n" + text + "\nexport default () => {};\n"})
			b, err := Build(filepath.Join(dir, "hook.ts"), dir)
			if err != nil {
				t.Fatal(err)
			}
			p := Open(b, Config{Root: dir})
			defer p.Close()
			_, err = p.Describe(context.Background())
			if (err != nil) != (want != "") || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("it says %v, want %q", err, want)
			}
		})
	}
}
