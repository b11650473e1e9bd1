package main

import (
	"cmp"
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/trust"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what commands print into the stories that compare it")

// TestMain lets this test binary be hookway when it is called by that name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rpcguard": rpcGuard,
		"mcpcall":  mcpCall,
		"hookway": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			a := newApp()
			a.owner.Until, _ = strconv.Atoi(os.Getenv(storyRoot))
			a.home.Managed = config.Managed{Dir: cmp.Or(os.Getenv(storyManaged), filepath.Join(os.TempDir(), "no such folder")), Check: trust.CheckOwner}
			code := a.run(ctx, os.Args[1:])
			if !slices.Contains(os.Args, paneName) { // its story waits for another one
				noteStatus(code)
			}
			os.Exit(code)
		},
		"engine": engineClient,
	})
}

// statusFile names the file in which hookway leaves its exit code for a story's
// command status, which compares it: testscript itself only knows whether it is 0.
const statusFile = "HOOKWAY_STORY_STATUS"

// storyRoot names the process that tests count as the first of the machine: what is above
// it, an agent perhaps, has started the test and not the story.
const storyRoot = "HOOKWAY_STORY_ROOT"

// storyManaged names the folder of an administrator's configuration. Only this test binary
// reads it.
const storyManaged = "HOOKWAY_STORY_MANAGED"

func noteStatus(code int) {
	file := os.Getenv(statusFile)
	if file == "" {
		return
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(code)), 0o600); err != nil {
		panic(err)
	}
}

// status compares the exit code of the last hookway: status 2.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: status CODE")
	}
	file := ts.Getenv(statusFile)
	got, err := os.ReadFile(file)
	ts.Check(err)
	ts.Check(os.Remove(file)) // it says nothing about what comes next
	if string(got) != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// setPort sets a variable to a port that nobody listens at now: for what takes no 0.
func setPort(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: set-port VARIABLE")
	}
	port, err := scaffold.FreePort()
	ts.Check(err)
	ts.Setenv(args[0], strconv.Itoa(port))
}

// TestStories runs every story in testdata/script: each is a folder of files and
// the commands that are run in it. Nothing outside that folder is touched.
// storyCommands are what stories can say besides testscript's own words.
var storyCommands = map[string]func(*testscript.TestScript, bool, []string){"status": status, "ask": ask, "env-from": envFrom, "assemble": assemble, "set-port": setPort, "at-terminal": typed, "converse": converse, "code-from": codeFrom, "database": database, "answered": answered}

func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		RequireUniqueNames: true,
		UpdateScripts:      *update,
		Cmds:               storyCommands,
		Setup:              setStage,
	})
}

// setStage gives a story a home, and keeps it from all that is around it.
func setStage(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	for name, value := range map[string]string{
		"HOME":            home,
		"USERPROFILE":     home,
		"HOOKWAY_HOME":    filepath.Join(home, "hookway"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"XDG_STATE_HOME":  filepath.Join(home, "state"),
		"XDG_RUNTIME_DIR": filepath.Join(home, "run"),
		"HOOKWAY_DAEMON":  "off", // stories about the daemon start one of their own
		"NO_COLOR":        "",
		statusFile:        filepath.Join(env.WorkDir, ".status"),
		storyManaged:      filepath.Join(env.WorkDir, ".managed"),
		storyRoot:         strconv.Itoa(os.Getpid()),
		"GORACE":          os.Getenv("GORACE") + " atexit_sleep_ms=0", // by default a second for each process
	} {
		env.Setenv(name, value)
	}
	return os.MkdirAll(home, 0o700)
}
