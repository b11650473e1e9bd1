package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"
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
	off:     offOpenCode,
	whole:   bridgeFor,
}

func openCodeHome(w *world) string {
	base := w.getenv("XDG_CONFIG_HOME")
	if base == "" {
		base = w.path(w.home, ".config")
	}
	return w.path(base, "opencode", "plugin", "hookway.js")
}

// settings are what the plugin gets about this machine.
type settings struct {
	Shim      string `json:"shim"`
	Timeout   string `json:"timeout"`
	TimeoutMS int64  `json:"timeoutMs"`
	Hold      string `json:"hold"` // where a call may be held for a person
	HoldMS    int64  `json:"holdMs"`
	OnFailure string `json:"onFailure"`
}

// bridgeHole is where the settings go in the plugin.
const bridgeHole = "/*HOOKWAY*/ "

// bridgeFor is the plugin with this machine's settings in it.
func bridgeFor(w *world, events []event) ([]byte, error) {
	hold := w.Timeout
	for _, e := range events {
		hold = max(hold, e.timeout)
	}
	inSeconds := func(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }
	text, err := json.Marshal(settings{w.Shim, inSeconds(w.Timeout), w.Timeout.Milliseconds(), inSeconds(hold), hold.Milliseconds(), w.OnFailure})
	if err != nil {
		return nil, err
	}
	return bytes.Replace(bridge, []byte(bridgeHole+"{}"), append([]byte(bridgeHole), text...), 1), nil
}

// bridgeSettings reads the settings out of a plugin.
func bridgeSettings(text []byte) (s settings) {
	if _, rest, ok := bytes.Cut(text, []byte(bridgeHole)); ok {
		_ = json.NewDecoder(bytes.NewReader(rest)).Decode(&s) // none, if somebody edited it
	}
	return s
}
