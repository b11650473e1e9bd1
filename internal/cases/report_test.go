package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/golden"
	"github.com/hookway/hookway/wire"
)

// hooks gives the function that fires at the hooks of the reports below. The
// times that they take are those of the test's own clock.
func hooks(t *testing.T) Fire {
	t.Helper()
	e := new(hook.Engine)
	takes := func(d time.Duration, h hook.HandlerFunc) hook.HandlerFunc {
		return func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			<-time.After(d)
			return h(ctx, ev)
		}
	}
	static := func(d hook.Decision) hook.HandlerFunc {
		return func(context.Context, hook.AnyEvent) (hook.Decision, error) { return d, nil }
	}
	for _, h := range []hook.Hook{
		hook.New("no-force", takes(2*time.Millisecond, static(hook.Decision{Action: hook.ActionBlock, Reason: "never", UserMessage: "one\nthree"})),
			hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchTool("Bash")),
		hook.New("broken", takes(1200*time.Millisecond, func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			return hook.Decision{}, errors.New("out of\npaper")
		}), hook.For("PreToolUse"), hook.MatchTool("Broken")),
		hook.New("panics", hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) { panic("oh no") }),
			hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchTool("Panic")),
		hook.New("budget", takes(25*time.Millisecond, func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			p, err := wire.Patch(ev, []byte(`{"tool_input":{"budget":9007199254740993}}`))
			return hook.Change(p), err
		}), hook.For("PreToolUse"), hook.MatchTool("Search")),
		hook.New("escape", static(hook.Inject("\x1b[2Jgone\x07\nplain\u202e")), hook.For("SessionStart")),
	} {
		if err := e.Add(h); err != nil {
			t.Fatal(err)
		}
	}
	return func(ctx context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
		if ev.Info() == hook.Notification.Info() {
			return hook.Outcome[any]{}, errors.New("Notification was cancelled:\ncontext deadline exceeded")
		}
		out, err := e.Fire(ctx, ev)
		out.Steps = append(out.Steps, hook.Step{Hook: "audit", Lane: hook.Observe, Duration: time.Millisecond})
		return out, err
	}
}

// reportOf runs a file of testdata/report.
func reportOf(t *testing.T, file string, only *regexp.Regexp) (report *Report) {
	t.Helper()
	list, problems := Read(file, Options{Envelope: hook.Envelope{Source: "test", CWD: "/src"}})
	if len(problems) > 0 {
		t.Fatalf("got %v, want len(problems) == 0", problems)
	}
	synctest.Test(t, func(t *testing.T) { report = Run(t.Context(), list, only, hooks(t)) })
	return report
}

func TestReports(t *testing.T) {
	for _, tt := range []struct {
		golden, file string
		style        Style
	}{
		{"mixed.txt", "mixed.yaml", Style{}},
		{"mixed_colour.txt", "mixed.yaml", Style{Colour: true, Verbose: true, Here: "testdata", Root: "testdata/report"}},
		{"good.txt", "good.yaml", Style{Here: "testdata/report", Root: "testdata/report"}},
		{"good_verbose.txt", "good.yaml", Style{Verbose: true}},
	} {
		t.Run(tt.golden, func(t *testing.T) {
			var out bytes.Buffer
			if err := reportOf(t, "testdata/report/"+tt.file, nil).Write(&out, tt.style); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "\x1b") != tt.style.Colour {
				t.Error("colours that were not asked for, or none")
			}
			golden.Compare(t, "testdata/report/"+tt.golden, out.String())
		})
	}
}

func TestTheReportForMachines(t *testing.T) {
	report := reportOf(t, "testdata/report/mixed.yaml", regexp.MustCompile("^passes$|^it was|^cancelled"))
	text, err := report.JSON(nil, Style{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/report/machines.json", out.String()+"\n")
}

func TestProblemsAreInTheReportForMachines(t *testing.T) {
	_, problems := Parse("x_test.yaml", []byte("cases: 1"), Options{})
	text, err := new(Report).JSON(problems, Style{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"passed":0,"failed":0,"errors":0,"not_run":0,"problems":[{"file":"x_test.yaml","line":1,"column":8,` +
		`"message":"cases must be a list, not the number 1","hint":"begin each case with a dash"}],"cases":[]}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestAReportPassesOnlyIfSomethingRanAndAllOfItPassed(t *testing.T) {
	if new(Report).Passed() {
		t.Error("nothing ran")
	}
	if !reportOf(t, "testdata/report/good.yaml", nil).Passed() {
		t.Error("all passed")
	}
	mixed := reportOf(t, "testdata/report/mixed.yaml", regexp.MustCompile("^(passes|cancelled)$"))
	switch {
	case mixed.Passed() || mixed.Count(Passed) != 1 || mixed.Count(Errored) != 1:
		t.Errorf("%d passed, %d not run", mixed.Count(Passed), mixed.NotRun)
	case mixed.NotRun != 8:
		t.Errorf("mixed.NotRun: got %v, want %v", mixed.NotRun, 8)
	}
}

func TestWhenTheContextEndsTheRestIsNotRun(t *testing.T) {
	list, problems := Read("testdata/report/good.yaml", Options{})
	if len(problems) > 0 {
		t.Fatalf("got %v, want len(problems) == 0", problems)
	}
	ctx, cancel := context.WithCancel(t.Context())
	report := Run(ctx, list, nil, func(context.Context, hook.AnyEvent) (hook.Outcome[any], error) {
		cancel()
		return hook.Outcome[any]{}, context.Canceled
	})
	if len(report.Results) != 1 || report.NotRun != 1 || report.Results[0].Status != Errored {
		t.Errorf("got %+v, want len(report.Results) == 1 and report.NotRun == 1 and report.Results[0].Status == Errored", report)
	}
}

func TestTheCommandsOfAReportAreReadByAShellAsTheyAreMeant(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	payload := `{tool_name: "it's", tool_input: {command: "a 'b' \"c\" \\n $HOME ` + "`id`" + ` %s\n!"}}`
	list, problems := Parse("x_test.yaml", []byte("cases:\n- event: PreToolUse\n  payload: "+payload+"\n  expect: {by: a}"), Options{})
	if len(problems) > 0 {
		t.Fatalf("got %v, want len(problems) == 0", problems)
	}
	command := list[0].Reproduce(Style{})
	head, tail, found := strings.Cut(command, " | hookway ")
	if !found || tail != "fire PreToolUse -" {
		t.Fatalf(`got %v, want found and tail == "fire PreToolUse -"`, command)
	}
	cmd := exec.CommandContext(t.Context(), shell, "-c", head)
	cmd.Env = append(os.Environ(), "HOME=/expanded")
	got, err := cmd.Output()
	if err != nil || string(got) != string(list[0].payload) {
		t.Errorf("the shell gives %s, %v; want %s", got, err, list[0].payload)
	}
}
