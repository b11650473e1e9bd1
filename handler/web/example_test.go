package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
)

const exampleSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

// A web server decides. It knows by the signature who asks.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || web.Verify(exampleSecret, r.Header, body) != nil {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"action": "ask", "reason": "somebody should look"}`)
	}))
	defer server.Close()

	asked, err := web.New(web.Config{URL: server.URL, Secret: exampleSecret, AllowLoopback: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer asked.Close()
	var engine hook.Engine
	_ = engine.Add(hook.New("office", asked, hook.For("PreToolUse"), hook.As(hook.Guard)))
	out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, nil, hook.ToolUse{ToolName: "Bash"})
	fmt.Println(out.Action, out.Reason, err)
	// Output: ask somebody should look <nil>
}

// What is signed can be checked by any library of Standard Webhooks.
func ExampleSign() {
	now := time.Now()
	body := []byte(`{"hook_event_name": "PreToolUse"}`)
	signature, err := web.Sign(exampleSecret, "msg_1", now, body)
	if err != nil {
		fmt.Println(err)
		return
	}
	header := http.Header{}
	header.Set("webhook-id", "msg_1")
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("webhook-signature", signature)
	fmt.Println(web.Verify(exampleSecret, header, body))
	fmt.Println(web.Verify(exampleSecret, header, []byte("another body")) != nil)
	// Output:
	// <nil>
	// true
}
