//go:build wasip1

// A hook in Go, as a WebAssembly module. The exam of hooktest is played by it:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o hook.wasm .
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"
)

func main() {} // never called: the host calls the two functions below

// event and answer stay where they are until the next call.
var event, answer []byte

//go:wasmexport hookway_alloc
func alloc(size uint32) unsafe.Pointer {
	event = make([]byte, max(size, 1))
	return unsafe.Pointer(&event[0])
}

//go:wasmexport hookway_handle
func handle(at unsafe.Pointer, size uint32) uint64 {
	answer = hook(unsafe.Slice((*byte)(at), size))
	if len(answer) == 0 {
		return 0 // no opinion
	}
	return uint64(uintptr(unsafe.Pointer(&answer[0])))<<32 | uint64(len(answer))
}

//go:wasmimport hookway fetch
func fetch(at unsafe.Pointer, size uint32) uint32

//go:wasmimport hookway read
func read(at unsafe.Pointer)

// get asks a server, and gives the response's JSON.
func get(url string) []byte {
	request, _ := json.Marshal(map[string]any{"url": url})
	response := make([]byte, fetch(unsafe.Pointer(&request[0]), uint32(len(request))))
	read(unsafe.Pointer(&response[0]))
	return response
}

// behaviour is what hooktest wants.
type behaviour struct {
	Kind, Text, Probe string
	Size              int
}

func hook(event []byte) []byte {
	var b behaviour
	if err := json.Unmarshal([]byte(os.Getenv("HOOKWAY_EXAM")), &b); err != nil {
		panic(err)
	}
	if b.Kind == "obeys" {
		return obey(b, event)
	}
	if b.Size > 0 {
		return fmt.Appendf(nil, `{"action":"continue","inject":%q}`, strings.Repeat("x", b.Size-33))
	}
	return []byte(b.Text)
}

func obey(b behaviour, event []byte) []byte {
	var e struct {
		ToolInput json.RawMessage `json:"tool_input"`
	}
	var in struct{ Do, Text, See string }
	if err := json.Unmarshal(event, &e); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(e.ToolInput, &in); err != nil {
		panic(err)
	}
	switch in.Do {
	case "hang":
		panic("the probe answered: " + string(get("http://"+b.Probe+"/")))
	case "crash":
		panic("crash in the middle")
	case "spin":
		for {
		}
	case "eat":
		for all := [][]byte(nil); ; {
			all = append(all, make([]byte, 1<<20))
		}
	case "see":
		return see(in.See)
	}
	out, err := json.Marshal(map[string]any{"action": "continue", "inject": in.Text, "modified": map[string]any{"tool_input": e.ToolInput}})
	if err != nil {
		panic(err)
	}
	return out
}

// see tells what the guest can reach.
func see(what string) []byte {
	name, arg, _ := strings.Cut(what, " ")
	var text string
	switch name {
	case "file":
		data, err := os.ReadFile(arg)
		text = fmt.Sprint(string(data), err)
	case "write":
		text = fmt.Sprint(os.WriteFile(arg, []byte("written"), 0o644))
	case "get":
		text = string(get(arg))
	case "time":
		text = time.Now().UTC().Format("2006-01-02 15:04")
	case "env":
		text = fmt.Sprint(os.Environ())
	case "print":
		fmt.Println("to stdout")
		fmt.Fprint(os.Stderr, "to stderr")
	}
	out, _ := json.Marshal(map[string]any{"inject": text})
	return out
}
