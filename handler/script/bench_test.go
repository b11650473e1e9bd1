package script

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/wire"
)

// BenchmarkUsualWay is what a script call stands beside: an interpreter started
// for the event, which reads it, looks at the command and answers.
func BenchmarkUsualWay(b *testing.B) {
	ev, err := wire.Encode(bash(strings.Repeat("x", 1800)))
	if err != nil {
		b.Fatal(err)
	}
	event := string(ev.Bytes())
	for name, argv := range map[string][]string{
		"node":    {"node", "-e", `const e = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(JSON.stringify(e.tool_input.command.includes("rm -rf") ? {action: "block"} : {}))`},
		"python3": {"python3", "-c", `import json, sys; e = json.load(sys.stdin); print(json.dumps({"action": "block"} if "rm -rf" in e["tool_input"]["command"] else {}))`},
		"bash+jq": {"bash", "-c", `c=$(jq -r .tool_input.command); case $c in *"rm -rf"*) echo '{"action":"block"}';; *) echo '{}';; esac`},
	} {
		b.Run(name, func(b *testing.B) {
			for _, program := range append(argv[:1:1], strings.Split(name, "+")...) {
				if _, err := exec.LookPath(program); err != nil {
					b.Skipf("%s is not installed", program)
				}
			}
			hooktest.Median(b, func() error {
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Stdin = strings.NewReader(event)
				out, err := cmd.Output()
				if err == nil && strings.TrimSpace(string(out)) != "{}" {
					err = fmt.Errorf("it answered %s", out)
				}
				return err
			})
		})
	}
}

// coldVariable has the test binary be a process in which a script is called for
// the first time.
const coldVariable = "HOOKWAY_SCRIPT_COLD"

func TestMain(m *testing.M) {
	if file := os.Getenv(coldVariable); file != "" {
		took, err := cold(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(took.Nanoseconds())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// cold is the first event of a script: bundling, compiling, loading, the call.
func cold(file string) (time.Duration, error) {
	began := time.Now()
	h, err := New(file, Config{}, Options{})
	if err != nil {
		return 0, err
	}
	defer h.Close()
	if _, err := h.Handle(context.Background(), bash(strings.Repeat("x", 1800))); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// BenchmarkColdStart is the first event of a script in a process that has never
// had one, of 2 KiB. The start of the process is not in it.
func BenchmarkColdStart(b *testing.B) {
	file := files(b, map[string]string{"hook.ts": "import { block } from 'hookway';\nexport default (e: any) => (e.tool_name === 'None' ? block('no') : undefined);"}) + "/hook.ts"
	var all []time.Duration
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), coldVariable+"="+file)
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		took, err := time.ParseDuration(strings.TrimSpace(string(out)) + "ns")
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, took)
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1e3, "median-ms")
	b.ReportMetric(float64(all[len(all)-1].Microseconds())/1e3, "max-ms")
}
