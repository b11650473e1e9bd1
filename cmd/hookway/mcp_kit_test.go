package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpPatience bounds each wait of these tests; none comes near it.
const mcpPatience = 2 * time.Minute

// mcpCall is a program for stories: it calls one tool of hookway mcp and prints
// the text of the answer: mcpcall TOOL ARGUMENTS [FLAGS of hookway mcp].
func mcpCall() {
	ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
	defer cancel()
	failed, err := mcpCallOnce(ctx, os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func mcpCallOnce(ctx context.Context, tool, arguments string, flags []string) (failed bool, err error) {
	program := exec.Command("hookway", append([]string{"mcp"}, flags...)...)
	program.Stderr = os.Stderr
	client := sdk.NewClient(&sdk.Implementation{Name: "mcpcall", Version: "1"}, nil)
	conn, err := client.Connect(ctx, &sdk.CommandTransport{Command: program}, nil)
	if err != nil {
		return true, err
	}
	defer conn.Close()
	r, err := conn.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return true, err
	}
	fmt.Println(strings.TrimSuffix(mcpText(r), "\n"))
	return r.IsError, nil
}

func mcpText(r *sdk.CallToolResult) string {
	if len(r.Content) != 1 {
		return fmt.Sprintf("%d contents", len(r.Content))
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		return fmt.Sprintf("a %T", r.Content[0])
	}
	return text.Text
}

// mcpStage is a project with a state of its own, and programs that serve it.
type mcpStage struct {
	t   *testing.T
	dir string
}

func newMCPStage(t *testing.T) *mcpStage {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "project", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &mcpStage{t, dir}
}

// command is hookway mcp in the project.
func (s *mcpStage) command(flags ...string) *exec.Cmd {
	s.t.Helper()
	program, err := exec.LookPath("hookway")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), mcpPatience)
	s.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, append([]string{"mcp"}, flags...)...)
	cmd.Dir = filepath.Join(s.dir, "project")
	cmd.Env = append(os.Environ(), "HOOKWAY_HOME="+filepath.Join(s.dir, "home"), "HOOKWAY_AGENT=", "HOOKWAY_SESSION=", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// client starts a server and talks to it.
func (s *mcpStage) client(flags ...string) *sdk.ClientSession {
	s.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, nil)
	cmd := s.command(flags...)
	cmd.Stderr = s.t.Output()
	conn, err := client.Connect(s.t.Context(), &sdk.CommandTransport{Command: cmd, TerminateDuration: mcpPatience}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			s.t.Errorf("the server ended with: %v", err)
		}
	})
	return conn
}

// mcpAnswer calls a tool and reads the structured part of the answer into out.
func mcpAnswer(t *testing.T, conn *sdk.ClientSession, tool string, arguments, out any) string {
	t.Helper()
	r, err := conn.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if r.IsError {
		t.Fatalf("%s: got %s, want !r.IsError", tool, mcpText(r))
	}
	text, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return mcpText(r)
}

// mcpRefusal calls a tool that must fail, and gives the reason.
func mcpRefusal(t *testing.T, conn *sdk.ClientSession, tool string, arguments any) string {
	t.Helper()
	r, err := conn.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if !r.IsError {
		t.Fatalf("%s did not fail: %s", tool, mcpText(r))
	}
	return mcpText(r)
}

type mcpObject = map[string]any

type mcpNotes struct {
	Memories []struct {
		ID, Text, Agent, Scope string
		Tags                   []string
	}
	LeftOut int `json:"left_out"`
}

// mcpAnswersFit gives a call that compares each answer with the schema of its tool.
func mcpAnswersFit(t *testing.T, conn *sdk.ClientSession) func(tool string, arguments, out any) string {
	t.Helper()
	list, err := conn.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(tool string, arguments, out any) string {
		t.Helper()
		var raw any
		text := mcpAnswer(t, conn, tool, arguments, &raw)
		at := slices.IndexFunc(list.Tools, func(one *sdk.Tool) bool { return one.Name == tool })
		var schema jsonschema.Schema
		described, _ := json.Marshal(list.Tools[at].OutputSchema)
		if err := json.Unmarshal(described, &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(raw); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
		given, _ := json.Marshal(raw)
		if err := json.Unmarshal(given, out); err != nil {
			t.Fatal(err)
		}
		return text
	}
}
