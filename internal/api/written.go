package api

import (
	"net"
	"net/http"
	"sync"
)

// written holds what is to be done when the answers of connections are on their way.
// net/http keeps the last bytes of an answer until its handler has returned, and a
// daemon that ends closes a connection when its work is done.
type written struct {
	mu   sync.Mutex
	todo map[net.Conn][]func()
}

// then has something done when the answer to the request under way is written, or its
// connection gone. It is called within the request's handler.
func (w *written) then(nc net.Conn, do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.todo == nil {
		w.todo = map[net.Conn][]func(){}
	}
	w.todo[nc] = append(w.todo[nc], do)
}

// changed gets the state of connections from net/http.
func (w *written) changed(nc net.Conn, state http.ConnState) {
	if state != http.StateIdle && state != http.StateClosed && state != http.StateHijacked {
		return
	}
	w.mu.Lock()
	todo := w.todo[nc]
	delete(w.todo, nc)
	w.mu.Unlock()
	for _, do := range todo {
		do()
	}
}
