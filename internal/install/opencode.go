package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// bridge is the plugin that makes a call of hookway-hook of every hook of
// OpenCode, which has plugins and no commands.
//
//go:embed opencode/hookway.js
var bridge []byte

// bridgeMark begins the file, by which it is known as ours.
const bridgeMark = "// hookway for OpenCode."

// opencode is OpenCode. Its file is all ours.
var opencode = &agent{
	name: "opencode", title: "OpenCode", program: "opencode",
	user:    openCodeHome,
	project: below(".opencode", "plugin", "hookway.js"),
	ours:    func(text []byte) bool { return bytes.HasPrefix(text, []byte(bridgeMark)) },
	whole:   func(w *world, _ []event) ([]byte, error) { return bridgeFor(w) },
}

func openCodeHome(w *world) string {
	base := w.getenv("XDG_CONFIG_HOME")
	if base == "" {
		base = w.path(w.home, ".config")
	}
	return w.path(base, "opencode", "plugin", "hookway.js")
}

// bridgeFor is the plugin with this machine's settings in it.
func bridgeFor(w *world) ([]byte, error) {
	settings, err := json.Marshal(map[string]any{
		"shim": w.Shim, "timeout": fmt.Sprintf("%ds", int(w.Timeout.Seconds())), "timeoutMs": w.Timeout.Milliseconds(), "onFailure": w.OnFailure,
	})
	if err != nil {
		return nil, err
	}
	return bytes.Replace(bridge, []byte("/*HOOKWAY*/ {}"), append([]byte("/*HOOKWAY*/ "), settings...), 1), nil
}
