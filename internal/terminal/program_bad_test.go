//go:build linux || darwin

package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	// pour prints a part of its first argument as often as the second says, after
	// the third and before the fourth, and ends with 9.
	programs["pour"] = func() {
		var n int
		if _, err := fmt.Sscan(os.Args[2], &n); err != nil {
			panic(err)
		}
		os.Stdout.WriteString(os.Args[3])
		chunk := []byte(strings.Repeat(os.Args[1], max(1, (32<<10)/len(os.Args[1]))))
		for n *= len(os.Args[1]); n > 0; n -= len(chunk) {
			os.Stdout.Write(chunk[:min(n, len(chunk))])
		}
		os.Stdout.WriteString(os.Args[4])
		os.Exit(9)
	}
}

// mostMemory is what a wrapper may hold, in KiB, whatever its program prints.
const mostMemory = 64 << 10

func TestNoOutputIsTooMuch(t *testing.T) {
	flood, bombs := 100_000_000, 20_000
	if raced {
		flood, bombs = 2_000_000, 2_000
	}
	for _, tt := range []struct {
		name, part, begin, end string
		times                  int
	}{
		{"text without a line end", "x", "", "", flood / 10},
		{"lines", "a line of plain text, as compilers print it\n", "", "", flood / 440},
		{"invalid UTF-8", "\xff\xc3\x28\xf0\x9f", "", "", flood / 50},
		{"a title", "x", "\x1b]0;", "\x07", flood / 10},
		{"a title that never ends", "x", "\x1b]2;", "", flood},
		{"the clipboard", "QUJD", "\x1b]52;c;", "", flood / 40},
		{"a DCS that never ends", "#0;2;0;0;0", "\x1bPq", "", flood / 10},
		{"an APC that never ends", "x", "\x1b_G", "", flood / 10},
		{"parameters", "1;", "\x1b[", "m", flood / 20},
		{"colours", "\x1b[38;2;1;2;3mx", "", "", bombs},
		{"repeat", "x\x1b[2147483647b", "", "", bombs / 100},
		{"scroll", "\x1b[2147483647S\x1b[2147483647T", "", "", bombs / 10},
		{"insert", "\x1b[2147483647L\x1b[2147483647@\x1b[2147483647P\x1b[2147483647M", "", "", bombs / 10},
		{"tabs", "\x1b[2147483647I\x1bH\x1b[2147483647Z", "", "", bombs / 10},
		{"far away", "\x1b[2147483647;2147483647Hx\x1b[99999999999999999999B", "", "", bombs / 10},
		{"another size", "\x1b[8;60000;60000t\x1b[?3h\x1b[?3l", "", "", bombs / 100},
		{"two screens", "\x1b[?1049hx\x1b[?1049l\x1b[?47h\x1b[?47l", "", "", bombs / 10},
		{"combining marks", "\u0301", "e", "", bombs},
		{"questions", "\x1b[c\x1b[6n\x1b]10;?\x07\x1b[?2026$p\x1bP+q544e\x1b\\", "", "", bombs / 100},
		{"keyboard levels", "\x1b[>1u", "", "", bombs},
		{"resets", "\x1bc\x1b[!p\x1b#8", "", "", bombs / 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "peak")
			cmd := exec.Command(os.Args[0], os.Args[0], tt.part, fmt.Sprint(tt.times), tt.begin, tt.end)
			cmd.Env = append(self("wrap"), "TERMINAL_TEST_INNER=pour", "TERMINAL_TEST_PEAK="+file)
			count := &counter{}
			cmd.Stdout = count
			began := time.Now()
			if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 9 {
				t.Fatalf("it ended with %v, want the program's own 9", err)
			}
			if want := len(tt.begin) + tt.times*len(tt.part) + len(tt.end); count.n < want {
				t.Errorf("the user saw %d bytes of %d", count.n, want)
			}
			var held int
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(string(text), &held); err != nil {
				t.Fatal(err)
			}
			if held > mostMemory && !raced {
				t.Errorf("it held %d KiB", held)
			}
			t.Logf("%d bytes in %v, %d KiB held", count.n, time.Since(began).Round(time.Millisecond), held)
		})
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// ending runs a wrapper without any terminal and gives what it printed and its
// exit code.
func ending(t *testing.T, stdin io.Reader, script string) (output string, code int) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.Command(os.Args[0], sh(script)...)
	cmd.Env = self("wrap")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Run() }()
	select {
	case <-ended:
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		t.Fatalf("%s does not end", script)
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))), cmd.ProcessState.ExitCode()
}

func TestWithoutATerminalItEndsAsTheProgramDoes(t *testing.T) {
	for _, tt := range []struct {
		name, stdin, script, output string
		code                        int
	}{
		{"nothing to read", "", "echo hello; exit 7", "hello\n", 7},
		{"a pipe", "from a pipe\n", `read -r line; echo "[$line]"; exit 8`, "[from a pipe]\n", 8},
		{"a pipe without a reader", strings.Repeat("x\n", 100_000), "exit 6", "", 6},
		{"kill -9", "", "kill -9 $$", "", 137},
		{"it closes its terminal", "", "exec <&- >&- 2>&-; exit 5", "", 5},
		{"it closes its terminal and goes on", "", "exec <&- >&- 2>&-; n=0; while [ $n -lt 1000 ]; do n=$((n+1)); done; exit 5", "", 5},
		{"it ends at once", "", "exit 0", "", 0},
		{"of several it is the last", "", "(exit 3) | (exit 4)", "", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdin io.Reader
			if tt.stdin != "" {
				stdin = strings.NewReader(tt.stdin)
			}
			output, code := ending(t, stdin, "stty -echo 2>/dev/null; "+tt.script)
			if code != tt.code || tt.output != "" && !strings.HasSuffix(output, tt.output) {
				t.Errorf("output %.200q, code %d; want %q, %d", output, code, tt.output, tt.code)
			}
		})
	}
}

func TestADaemonThatPrintsForEverDoesNotKeepFromEnding(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	_, code := ending(t, nil, `setsid sh -c 'trap "" HUP; echo $$ > `+pidFile+`.new; mv `+pidFile+`.new `+pidFile+`; exec yes' & while [ ! -e `+pidFile+` ]; do :; done; exit 3`)
	if code != 3 {
		t.Errorf("code %d", code)
	}
	var pid int
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, unix.SIGKILL)
}
