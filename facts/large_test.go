package facts

import (
	"strings"
	"testing"
)

// large are texts of about 1 MiB as agents write them.
func large() map[string]string {
	fill := func(line string) string { return strings.Repeat(line, 1<<20/len(line)) }
	deps := make([]string, 0, 20000)
	for i := range 20000 {
		deps = append(deps, "    \"some-package-"+strings.Repeat("x", i%9)+"\": \"^1.2.3\"")
	}
	return map[string]string{
		"main.go":      fill("func main() { fmt.Println(\"hello, token world\", secretName, apiKey) } // see https://x.example/a?b=c\n"),
		"notes.md":     fill("The quick brown fox jumps over the lazy dog, and then it rests for a while.\n"),
		"data.json":    fill("{\"id\": 12345, \"name\": \"Ada\", \"hash\": \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"},\n"),
		"package.json": "{\n  \"name\": \"x\",\n  \"dependencies\": {\n" + strings.Join(deps, ",\n") + "\n  }\n}\n",
		"run.sh":       fill("if [ -f \"$HOME/x\" ]; then echo \"one $1\" | grep -v two > /tmp/out; fi\n"),
		"ci.yml":       "on: push\njobs:\n  a:\n    steps:\n" + fill("      - run: npm test -- --shard=1\n"),
	}
}

// BenchmarkWrites is what a Write of a large file costs.
func BenchmarkWrites(b *testing.B) {
	world := World{Dir: "/home/u/project", Home: "/home/u"}
	for name, text := range large() {
		path := "/home/u/project/" + name
		if name == "ci.yml" {
			path = "/home/u/project/.github/workflows/" + name
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Call("Write", map[string]any{"file_path": path, "content": text}, world)
			}
		})
	}
}

// BenchmarkLargeCalls is what other calls of 1 MiB cost.
func BenchmarkLargeCalls(b *testing.B) {
	world := World{Dir: "/home/u/project", Home: "/home/u"}
	text := large()["notes.md"]
	script := large()["run.sh"]
	for name, call := range map[string]func(){
		"here-doc":   func() { Shell("cat > notes.md <<'E'\n"+text+"E\n", world) },
		"echo":       func() { Shell("echo '"+text+"'", world) },
		"script":     func() { Shell(script, world) },
		"python":     func() { Shell("python3 - <<'E'\n"+large()["main.go"]+"E\n", world) },
		"powershell": func() { PowerShell("Write-Output '"+text+"'", world) },
		"cmd":        func() { Cmd("echo "+text, world) },
		"server":     func() { Call("mcp__x__y", map[string]any{"body": text}, world) },
		"edit": func() {
			Call("Edit", map[string]any{"file_path": "/home/u/project/a.go", "old_string": text, "new_string": text}, world)
		},
		"private runes": func() {
			Call("Write", map[string]any{"file_path": "a.txt", "content": strings.Repeat("\ue010", 1<<20/3)}, world)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				call()
			}
		})
	}
}
