package api

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// helperSocket tells this test binary that it is a server, and where.
const helperSocket = "HOOKWAY_TEST_ENGINE_SOCKET"

// TestHelperServes is not a test: it is the server of the one below.
func TestHelperServes(t *testing.T) {
	path := os.Getenv(helperSocket)
	if path == "" {
		t.Skip("it is a process of another test")
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("serving")
	t.Fatal(NewService(new(bench), ServiceOptions{}).Server().Serve(l))
}

// startServer starts a process that serves at a socket.
func startServer(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	_ = os.Remove(path)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperServes$", "-test.v")
	cmd.Env = append(os.Environ(), helperSocket+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "serving" {
			return cmd
		}
	}
	t.Fatal("the server did not come up")
	return nil
}

func TestAClientOutlivesAKilledDaemon(t *testing.T) {
	noGoroutinesLeft(t)
	path := filepath.Join(shortDir(t), "s")
	server := startServer(t, path)
	client := hookwayv1.NewEngineClient(dialTo(t, &net.UnixAddr{Name: path, Net: "unix"}))
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	failed := make(chan error, 1)
	go func() {
		_, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")})
		failed <- err
	}()
	g.next() // it is under way
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	wantStatus(t, <-failed, codes.Unavailable)
	_, err := g.stream.Recv()
	wantStatus(t, err, codes.Unavailable)

	startServer(t, path)
	if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")}, grpc.WaitForReady(true)); err != nil {
		t.Errorf("to the next daemon: %v", err)
	}
	g = attach(t, client)
	g.attached(guardSpec("mine"))
	g.leave()
}
