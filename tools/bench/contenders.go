package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// refusal is what every contender refuses with.
const refusal = "rm -rf is not for agents"

// refusalJSON is the refusal as programs and servers write it.
const refusalJSON = `{"action":"block","reason":"` + refusal + `"}`

//go:embed guard.wasm
var guardModule string

// contenders are the ways in which the rule is written, and what ends the servers
// among them.
func contenders(dir string) (list []contender, closeServers func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	web, closeWeb, err := serveWeb()
	if err != nil {
		return nil, nil, err
	}
	socket, closeRPC, err := serveRPC(dir)
	if err != nil {
		closeWeb()
		return nil, nil, err
	}
	const ts = `import { block } from "hookway";
export default (event) => { if (event.tool_input.command.includes("rm -rf")) return block("` + refusal + `"); };
`
	const js = `const e = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(e.tool_input.command.includes("rm -rf") ? '` + refusalJSON + `' : "{}");
`
	const py = `import json, sys
e = json.load(sys.stdin)
print('` + refusalJSON + `' if "rm -rf" in e["tool_input"]["command"] else "{}")
`
	const sh = `case $(jq -r .tool_input.command) in *"rm -rf"*) echo '` + refusalJSON + `';; *) echo '{}';; esac
`
	return []contender{
		{name: "block: in hookway.yaml", handler: "match: {command: 'rm\\s+-rf'}\nblock: " + refusal},
		{name: "wasm", handler: "wasm: guard.wasm", files: map[string]string{"guard.wasm": guardModule}},
		{name: "script (TypeScript)", handler: "script: rule.ts", files: map[string]string{"rule.ts": ts}, asked: 150 * time.Microsecond},
		{name: "http, loopback, kept alive", handler: "http: {url: 'http://" + web + "/', allow_private: true}", asked: 250 * time.Microsecond},
		{name: "grpc, unix socket", handler: "grpc: 'unix://" + socket + "'", asked: 100 * time.Microsecond},
		{name: "worker", handler: fmt.Sprintf("command: [%q, answer]\nmode: worker", self)},
		{name: "node, for each event", handler: "command: [node, rule.js]", files: map[string]string{"rule.js": js}, needs: []string{"node"}, programs: true},
		{name: "python3, for each event", handler: "command: [python3, rule.py]", files: map[string]string{"rule.py": py}, needs: []string{"python3"}, programs: true},
		{name: "bash and jq, for each event", handler: "command: [bash, rule.sh]", files: map[string]string{"rule.sh": sh}, needs: []string{"bash", "jq"}, programs: true},
	}, func() { closeWeb(); closeRPC() }, nil
}

// serveWeb serves the rule over HTTP.
func serveWeb() (address string, done func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxSize))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := judge(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, answer)
	})}
	go func() { _ = server.Serve(l) }()
	return l.Addr().String(), func() { _ = server.Close() }, nil
}

// serveRPC serves the rule over gRPC.
func serveRPC(dir string) (socket string, done func(), err error) {
	socket = filepath.Join(dir, "rule.sock")
	l, err := rpc.Listen("unix://" + socket)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = rpc.Serve(ctx, l, rpc.Typed(func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			if strings.Contains(ev.Payload.Text("command"), "rm -rf") {
				return hook.Block(refusal), nil
			}
			return hook.Continue(), nil
		}))
	}()
	return socket, func() { cancel(); <-ended }, nil
}

// judge is the rule in Go, from JSON to JSON.
func judge(event []byte) (string, error) {
	var e struct {
		ToolInput struct {
			Command string `json:"command"`
		} `json:"tool_input"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return "", err
	}
	if strings.Contains(e.ToolInput.Command, "rm -rf") {
		return refusalJSON, nil
	}
	return "{}", nil
}

// work is the rule as a worker.
func work(in io.Reader, out io.Writer) error {
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // a worker ends with its stdin
		}
		var request struct {
			ID     *json.RawMessage `json:"id"`
			Params json.RawMessage  `json:"params"`
		}
		if err := json.Unmarshal(line, &request); err != nil {
			return err
		}
		if request.ID == nil { // a cancel: the answer is on its way
			continue
		}
		answer, err := judge(request.Params)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", *request.ID, answer); err != nil {
			return err
		}
	}
}
