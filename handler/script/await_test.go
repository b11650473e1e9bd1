package script

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheTopLevelMayAwait(t *testing.T) {
	r := runIn(t, files(t, map[string]string{
		"hook.ts":  "import { word } from './other';\nconst n: number = await new Promise((r) => setTimeout(r, 5, 2));\nexport const on = 'PreToolUse';\nexport default () => ({ action: 'block', reason: word + n });\n",
		"other.ts": "export const word = await Promise.resolve('w');\n",
	}))
	for range 2 {
		if d, err := limited(r, time.Minute, "x"); err != nil || d.Reason != "w2" {
			t.Errorf(`got %+v, %v, want err == nil and d.Reason == "w2"`, d, err)
		}
	}
	if d, err := r.p.Describe(context.Background()); err != nil || len(d.Hooks) != 1 {
		t.Errorf("described as %+v, %v", d, err)
	}
}

func TestATopLevelThatAwaitsFailsWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{ // those that never end are stopped after a second
		"throws":  {"const a: any = undefined;\nawait null;\na.b();\nexport default () => {};\n", "hook.ts:3:"},
		"rejects": {"\nawait Promise.reject(new RangeError('far'));\nexport default () => {};\n", "RangeError: far"},
		"never":   {"await new Promise(() => {});\nexport default () => {};\n", "never read to its end"},
		"late":    {"setInterval(() => {}, 1000);\nawait new Promise(() => {});\nexport default () => {};\n", "did not come in 1s"},
		"loops":   {"await null;\nfor (let i = 0; ; i++) Math.random();\nexport default () => {};\n", "hook.ts:2:"},
		"later":   {"await new Promise((r) => setTimeout(r, 1));\nfor (let i = 0; ; i++) Math.random();\nexport default () => {};\n", "hook.ts:2:"},
		"syntax":  {"await null;\nexport default () => {\n  return x +;\n};\n", "hook.ts:3:13: Unexpected"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := Build(filepath.Join(files(t, map[string]string{"hook.ts": c.text}), "hook.ts"), "")
			if err == nil {
				p := Open(b, Config{})
				p.loadTime = time.Minute
				if name == "late" || name == "loops" || name == "later" {
					p.loadTime = time.Second
				}
				h := p.Handler(Main, Options{})
				_, err = h.Handle(context.Background(), bash("x"))
				if _, again := p.Describe(context.Background()); again == nil {
					t.Error("it could be described")
				}
				h.Close()
				p.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

func TestIntl(t *testing.T) {
	if got := says(t, `return block([
  new Intl.NumberFormat("en-US", { style: "currency", currency: "EUR" }).format(1234.5),
  new Date(0).toLocaleString("en-US", { timeZone: "UTC" }),
  (1234567).toLocaleString(),
]);`); got != `["€1,234.50","1/1/1970, 12:00:00 AM","1,234,567"]` {
		t.Errorf("got %s", got)
	}
	if got := says(t, `return block(new Intl.PluralRules("en").select(1));`); !strings.Contains(got, "hook.ts:4:") || !strings.Contains(got, "TypeError: not a ") {
		t.Errorf("got %s", got)
	}
}

func TestARejectionWithoutAHandlerIsLogged(t *testing.T) {
	r := run(t, "export default () => {\n  setTimeout(async () => {\n    throw new RangeError('floating');\n  }, 0);\n};\n")
	if _, err := r.Handle(context.Background(), bash("x")); err != nil {
		t.Fatal(err)
	}
	<-r.printed
	if got := r.logged(); !strings.Contains(got, "nobody handled this rejection: RangeError: floating") {
		t.Errorf("logged %q", got)
	}
}
