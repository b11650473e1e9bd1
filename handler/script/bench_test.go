package script

import (
	"os/exec"
	"strings"
	"testing"

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
			median(b, func() {
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Stdin = strings.NewReader(event)
				if out, err := cmd.Output(); err != nil || strings.TrimSpace(string(out)) != "{}" {
					b.Fatalf("%s: %v", out, err)
				}
			})
		})
	}
}
