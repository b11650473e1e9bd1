package config

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/gateway/spool"
)

// Options say where to look. The zero value looks from the working directory,
// in the environment of this process.
type Options struct {
	// Dir is the folder from which the workspace is looked for; empty is the
	// working directory. Like File, it may start from there.
	Dir string

	// File is one hookway.yaml, or one script, that is read in place of the workspace's. Whoever
	// names it vouches for it: it needs no trust.
	File string

	// TrustedOnly leaves a workspace unparsed that the user does not trust, or that is
	// not as it was trusted: the set says so, and has none of its hooks.
	TrustedOnly bool

	// Still has nothing run that could act while the configuration is read: an executable
	// is not asked what it wants unless it said so before, and a script may do nothing and
	// has one machine, so that what it counts hangs on no clock.
	Still bool

	// Past has scripts and modules find the time of the event that they are asked about, in
	// place of the clock's.
	Past bool

	// Native names events of agents that have no row in hookway's table but may
	// stand in `on`.
	Native []string

	// ToolNames gives hookway's name of a tool by an agent's own, for warnings of
	// matchers that can never hold. Nil knows none.
	ToolNames func(native string) (name string, ok bool)

	// Sources names who reports events, for warnings of matchers that nearly name
	// one. Nil knows none.
	Sources []string

	// Agents are the names that events of agents have, for warnings of what nearly names
	// one. Nil knows none.
	Agents []string

	// Environ is the environment in which programs are looked for and asked for
	// their events, KEY=VALUE each; nil is that of this process.
	Environ []string

	// Getenv reads the environment; nil reads Environ.
	Getenv func(string) string

	// Self is the program hookway, which runs what imported hooks have Node run, where
	// Node is not installed. Empty: they fail then.
	Self string

	// Transport makes the requests of fetch in scripts; nil is the network.
	Transport http.RoundTripper

	// Memory gives what agents remember to scripts, for events of no wrapped session,
	// by the folder in which the agent works, its name and its session. Nil: nothing can be.
	Memory func(dir, agent, session string) hook.Memory

	// Relay gives who sends messages for scripts, in the context of an event of no
	// wrapped session. Nil, and a nil of it: nobody does.
	Relay func(context.Context) hook.Relay

	// MemoryHooks makes the hooks by which memory does something by itself. Nil, and
	// a handler that is nil: it does not.
	MemoryHooks func(Settings) MemoryHooks

	// Guards makes the handler of hookway's own rules. Nil: rules that need to know what a
	// session did before, and calls that a person let through, are not known.
	Guards func(*Guards) hook.Handler

	// Webhooks keeps what webhooks are to be told until they have heard it. Nil: they
	// are told from memory, for a minute.
	Webhooks *spool.Spool

	// Managed is where an administrator keeps a configuration for all users.
	Managed Managed

	// managedClaude is where managed settings of Claude Code are looked for; empty is
	// where it keeps them.
	managedClaude string

	// Log gets what hooks print on stderr, and their warnings. Nil drops them.
	Log *slog.Logger
}

// otherHome is the home of the environment's owner if this process has another,
// else "". A daemon has that of whoever called it first.
func (o *Options) otherHome() string {
	home := o.home()
	if ours, err := os.UserHomeDir(); err == nil && ours == home {
		return ""
	}
	return home
}

func (o *Options) getenv(name string) string {
	switch {
	case o.Getenv != nil:
		return o.Getenv(name)
	case o.Environ != nil:
		return command.Getenv(o.Environ, name)
	}
	return os.Getenv(name)
}

// own reports whether the environment is that of this process.
func (o *Options) own() bool { return o.Getenv == nil && o.Environ == nil }

// absolute makes a path absolute. It starts where the owner of the environment works.
func (o *Options) absolute(path string) (string, error) {
	if pwd := command.Getenv(o.Environ, "PWD"); !filepath.IsAbs(path) && filepath.IsAbs(pwd) {
		return filepath.Join(pwd, path), nil
	}
	return filepath.Abs(path)
}

// dir is Dir, absolute and without symbolic links, so that a workspace has one name.
func (o *Options) dir() (string, error) {
	dir := o.Dir
	if dir == "" {
		dir = "."
	}
	abs, err := o.absolute(dir)
	if err != nil {
		return "", fmt.Errorf("the folder %s cannot be found: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("the folder %s cannot be used: %w", dir, err)
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is a file; name its folder", dir)
	}
	return real, nil
}

func (o *Options) places() (config, state string, err error) {
	if home := o.getenv("HOOKWAY_HOME"); home != "" {
		abs, err := o.absolute(home)
		if err != nil {
			return "", "", fmt.Errorf("HOOKWAY_HOME: %w", err)
		}
		return filepath.Join(abs, "config"), filepath.Join(abs, "state"), nil
	}
	if config, err = o.xdg("XDG_CONFIG_HOME", ".config"); err != nil {
		return "", "", err
	}
	state, err = o.xdg("XDG_STATE_HOME", ".local/state")
	return config, state, err
}

// xdg reads a folder variable; one that is not absolute is ignored, as the XDG
// specification has it.
func (o *Options) xdg(variable, fallback string) (string, error) {
	if dir := o.getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hookway"), nil
	}
	home := o.home()
	if home == "" {
		return "", errors.New("the home folder is unknown; set HOME, or HOOKWAY_HOME")
	}
	return filepath.Join(home, filepath.FromSlash(fallback), "hookway"), nil
}

// home is the user's folder, or "".
func (o *Options) home() string {
	if home := o.getenv("HOME"); home != "" {
		return home
	}
	if !o.own() {
		if runtime.GOOS == "windows" {
			return o.getenv("USERPROFILE")
		}
		return ""
	}
	home, _ := os.UserHomeDir() // unknown stays empty
	return home
}

// Places gives the folders of the user's configuration and of hookway's state:
// $XDG_CONFIG_HOME/hookway and $XDG_STATE_HOME/hookway, or both under
// $HOOKWAY_HOME. They need not exist. getenv may be nil.
func Places(getenv func(string) string) (config, state string, err error) {
	o := Options{Getenv: getenv}
	return o.places()
}

// scriptNames are the scripts that are found by their names beside hookway.yaml.
var scriptNames = []string{"hookway.config.ts", relayScript}

// relayScript is agent-relay's configuration, and by its name GraphQL Relay's too.
const relayScript = "relay.config.ts"

// scriptExtensions are those of scripts in a hooks folder.
var scriptExtensions = []string{".ts", ".mts", ".js", ".mjs"}

// isScript reports whether an entry of a hooks folder is a script. One that names
// its interpreter in its first line and may be executed is a program as others are.
func isScript(path string) bool {
	if !slices.Contains(scriptExtensions, filepath.Ext(path)) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o111 == 0 {
		return true
	}
	f, err := disk.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	var first [2]byte
	n, _ := f.Read(first[:]) // an empty file has no first line
	return string(first[:n]) != "#!"
}

// isDeclaration reports whether a file has types only.
func isDeclaration(name string) bool {
	return strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts")
}

// maxTold bounds how much of such a file is read to tell the two apart.
const maxTold = 256 << 10

var (
	relayComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s:/\*.*?\*/)|(?m)(?:^|\s)//.*$`) })

	// relayOurs are what a configuration of agent-relay says: where it imports from, or
	// its keys.
	relayOurs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`agent-relay|hookway|new Relay\(|\brelay\.[a-z]\w*\(|\b(?:patterns|hooks|idleThreshold|memory|on[A-Z]\w*)['"]?\s*[:(=,}]`)
	})

	// relayGraphQL are the keys and packages of GraphQL Relay, its compiler's above all.
	relayGraphQL = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`relay-(?:compiler|config|runtime|test-utils)|react-relay|\.graphql\b|` +
			`\b(?:schema|src|root|sources|language|artifactDirectory|excludes?|projects|eagerEsModules|jsModuleFormat|` +
			`schemaExtensions|customScalarTypes|customScalars|persistConfig|featureFlags|codegenCommand)['"]?\s*[:,}]`)
	})
)

// isGraphQLRelay reports whether a file of the name that agent-relay shares with
// GraphQL Relay is the latter's: it speaks of that, and of nothing of ours. What
// cannot be told is ours.
func isGraphQLRelay(path string) bool {
	if filepath.Base(path) != relayScript {
		return false
	}
	data, err := disk.Read(path, maxTold)
	if err != nil {
		return false
	}
	text := relayComment().ReplaceAll(data, nil)
	return relayGraphQL().Match(text) && !relayOurs().Match(text)
}

// isOwnScript reports whether there is a script that is found by its name.
func isOwnScript(path string) bool { return disk.Exists(path) && !isGraphQLRelay(path) }

// Names of what is looked for.
const (
	fileName    = "hookway.yaml"
	fileNameYML = "hookway.yml"
)

// folder is a place for executables that are hooks.
type folder struct {
	path    string // from the workspace, with slashes
	profile string // of the hooks in it, or ""
}

// workspaceFolders are the hook folders of a workspace.
var workspaceFolders = []folder{{".hookway/hooks", ""}, {".acai/hooks", "acai"}}

// userFolders are those of the user's configuration.
var userFolders = []folder{{"hooks", ""}}

// markers make a folder a workspace.
var markers = []struct {
	path string
	dir  bool
}{{fileName, false}, {fileNameYML, false}, {scriptNames[0], false}, {scriptNames[1], false}, {".hookway/hooks", true}, {".acai/hooks", true}}

// workspaceOf is the nearest folder, from dir upwards, that has hooks; "" if
// there is none. The folder of the user's configuration is not a workspace.
func workspaceOf(dir, userDir string) string {
	for ws := range workspacesOf(dir, userDir) {
		return ws
	}
	return ""
}

// WorkspaceOf is the folder whose hooks count in a folder, itself or above it; "" if
// there is none. Links in the folder's path are followed.
func WorkspaceOf(getenv func(string) string, dir string) (string, error) {
	userDir, _, err := Places(getenv)
	if err != nil {
		return "", err
	}
	return workspaceOf(dir, userDir), nil
}

// workspacesOf gives the folders that have hooks, from dir upwards.
func workspacesOf(dir, userDir string) iter.Seq[string] {
	userDir = disk.Real(userDir)
	return func(yield func(string) bool) {
		for ; ; dir = filepath.Dir(dir) {
			if dir != userDir && isWorkspace(dir) && !yield(dir) || dir == filepath.Dir(dir) {
				return
			}
		}
	}
}

func isWorkspace(dir string) bool {
	for _, m := range markers {
		if m.dir {
			if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(m.path))); err == nil && info.IsDir() {
				return true
			}
			continue
		}
		if path := filepath.Join(dir, m.path); disk.Exists(path) && !isGraphQLRelay(path) {
			return true
		}
	}
	return false
}
