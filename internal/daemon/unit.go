package daemon

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

// Unit is the file that makes the daemon a service of the user's own systemd or
// launchd, and the commands that make the file count.
type Unit struct {
	Path    string
	Text    string
	Links   []string   // to the file, made when the service is enabled
	Enable  [][]string // now and at each login
	Disable [][]string
}

// ExitReplaced is the exit code of a service whose program was replaced: it asks
// for the new one to be started.
const ExitReplaced = 75

// UnitFor gives the unit of a system for a program, which is called with further
// arguments of serve.
func UnitFor(goos, executable string, arguments []string, getenv func(string) string) (Unit, error) {
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return Unit{}, errors.New("the home folder is unknown; set HOME")
	}
	variable := "" // the instance that the service is of
	if dir := getenv("HOOKWAY_HOME"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return Unit{}, fmt.Errorf("HOOKWAY_HOME: %w", err)
		}
		variable = abs
	}
	arguments = append([]string{executable, "serve", "--replace", "--idle", "0"}, arguments...)
	if all := strings.Join(arguments, " ") + variable; strings.ContainsFunc(all, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Unit{}, fmt.Errorf("a path with control characters cannot stand in a unit: %q", all)
	}
	switch goos {
	case "linux":
		return systemd(arguments, variable, home, getenv("XDG_CONFIG_HOME")), nil
	case "darwin":
		return launchd(arguments, variable, home), nil
	}
	return Unit{}, fmt.Errorf("there is no service to be made on %s; the first event of an agent starts the daemon", goos)
}

func systemd(arguments []string, hookwayHome, home, config string) Unit {
	const name = "hookway.service"
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	dir := filepath.Join(config, "systemd", "user")
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s) + `"`
	}
	environment := ""
	if hookwayHome != "" {
		environment = "Environment=" + quote("HOOKWAY_HOME="+hookwayHome) + "\n"
	}
	command := quote(arguments[0])
	for _, a := range arguments[1:] {
		if strings.ContainsAny(a, " \t\"\\%'$;") {
			a = strings.ReplaceAll(quote(a), "$", "$$")
		}
		command += " " + a
	}
	return Unit{
		Path: filepath.Join(dir, name),
		Text: `[Unit]
Description=hookway, hooks for AI agents

[Service]
` + environment + `ExecStart=` + command + `
Restart=on-failure
RestartSec=1
KillMode=mixed
TimeoutStopSec=30

[Install]
WantedBy=default.target
`,
		Links:   []string{filepath.Join(dir, "default.target.wants", name)},
		Enable:  [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", name}},
		Disable: [][]string{{"systemctl", "--user", "disable", "--now", name}},
	}
}

func launchd(arguments []string, hookwayHome, home string) Unit {
	const label = "hookway.daemon"
	path := filepath.Join(home, "Library", "LaunchAgents", label+".plist")
	user := "gui/" + strconv.Itoa(os.Getuid())
	text := func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
		return "<string>" + b.String() + "</string>"
	}
	environment := ""
	if hookwayHome != "" {
		environment = "	<key>EnvironmentVariables</key>\n	<dict><key>HOOKWAY_HOME</key>" + text(hookwayHome) + "</dict>\n"
	}
	command := ""
	for _, a := range arguments {
		command += text(a)
	}
	return Unit{
		Path: path,
		Text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>` + text(label) + `
	<key>ProgramArguments</key>
	<array>` + command + `</array>
` + environment + `	<key>RunAtLoad</key><true/>
	<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
	<key>ExitTimeOut</key><integer>30</integer>
</dict>
</plist>
`,
		Enable:  [][]string{{"launchctl", "bootstrap", user, path}},
		Disable: [][]string{{"launchctl", "bootout", user + "/" + label}},
	}
}

// Install writes the unit, and reports whether that changed anything.
func (u Unit) Install() (changed bool, err error) {
	if old, err := os.ReadFile(u.Path); err == nil && string(old) == u.Text {
		return false, nil
	}
	dir := filepath.Dir(u.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	if err := disk.Replace(u.Path, []byte(u.Text), 0o600); err != nil {
		return false, err
	}
	return true, nil
}

// Uninstall removes the unit and what points to it, and reports whether there was one.
func (u Unit) Uninstall() (changed bool, err error) {
	for _, path := range append(u.Links, u.Path) {
		switch e := os.Remove(path); {
		case e == nil:
			changed = true
		case !errors.Is(e, os.ErrNotExist):
			err = errors.Join(err, e)
		}
	}
	return changed, err
}
