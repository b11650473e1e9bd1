package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

func TestMemoriesAreLookedAtAndForgottenByTheOwner(t *testing.T) {
	v := startViewed(t, "hooks: []\n")
	defer v.stop(t)
	var ids []string
	for i := range 3 {
		status, text := v.ask(t, "/v1/memories", viewing{method: "POST", path: "/v1/memories", body: fmt.Sprintf(`{"text":"the port is %d","scope":"user"}`, 8000+i)})
		var m struct{ ID string }
		if err := json.Unmarshal([]byte(text), &m); err != nil || status != http.StatusOK || m.ID == "" {
			t.Fatalf(`got %d %s, want err == nil and status == http.StatusOK and m.ID != ""`, status, text)
		}
		ids = append(ids, m.ID)
	}
	v.all(t, "/v1/memories", []viewing{
		{"POST", "/v1/memories", `{"text":"here","cwd":"` + filepath.ToSlash(v.dir) + `"}`, 200, `"scope":"workspace"`},
		{"POST", "/v1/memories", `{"text":" "}`, 400, "the text is empty"},
		{"POST", "/v1/memories", `{"text":"x"}`, 400, "needs cwd"},
		{"POST", "/v1/memories", `{"text":"x","scope":"all"}`, 400, "unknown scope"},
		{"POST", "/v1/memories", `{"text":"x","scope":"agent","cwd":"/"}`, 400, "needs the agent's name"},
		{"GET", "/v1/memories?scope=user&limit=2", "", 200, `"next":"2"`},
		{"GET", "/v1/memories?scope=user&limit=2&after=2", "", 200, `"the port is 8000"`},
		{"GET", "/v1/memories?q=8001", "", 200, `"the port is 8001"`},
		{"GET", "/v1/memories?cwd=" + url.QueryEscape(v.dir), "", 200, `"here"`},
		{"GET", "/v1/memories?limit=0", "", 400, "it is from 1 to 500"},
		{"GET", "/v1/memories?after=x", "", 400, "no page gave"},
		{"GET", "/v1/memories?scope=x", "", 400, "unknown scope"},
	})
	path := "/v1/memories/" + ids[0]
	v.all(t, "/v1/memories/{id}", []viewing{{"DELETE", path, "", 403, "only the owner may"}})
	credential := v.credential(t)
	for _, want := range []viewing{{has: `"forgotten":"` + ids[0], status: 200}, {has: "no memory has this id", status: 404}} {
		if status, text := v.ask(t, "/v1/memories/{id}", viewing{method: "DELETE", path: path}, credential); status != want.status || !strings.Contains(text, want.has) {
			t.Errorf("%d %s; want %d with %q", status, text, want.status, want.has)
		}
	}
	want := fmt.Sprintf("block forget memory %q by hookway, allow forget memory %[1]q by desk, block forget memory %[1]q by hookway", ids[0])
	if got := strings.Join(v.words(t), ", "); got != want {
		t.Errorf("on record is %q; want %q", got, want)
	}
}

func TestMessagesAreListed(t *testing.T) {
	v := startViewed(t, "hooks: []\n")
	defer v.stop(t)
	if status, text := v.ask(t, "/v1/inbox/{agent}/take", viewing{method: "POST", path: "/v1/inbox/Rita/take", body: `{"join":true}`}); status != http.StatusOK {
		t.Fatalf("got %d %s, want %d", status, text, http.StatusOK)
	}
	for _, text := range []string{"first", "second", "THIRD"} {
		body := `{"from":"desk","to":"Rita","content":"` + text + `"}`
		if status, said := v.ask(t, "/v1/messages", viewing{method: "POST", path: "/v1/messages", body: body}); status != http.StatusOK {
			t.Fatalf("got %d %s, want %d", status, said, http.StatusOK)
		}
	}
	v.all(t, "/v1/messages", []viewing{
		{"GET", "/v1/messages?limit=1", "", 200, `"content":"THIRD"`},
		{"GET", "/v1/messages?q=third", "", 200, `"content":"THIRD"`},
		{"GET", "/v1/messages?q=fourth", "", 200, `{"messages":[],"next":""}`},
		{"GET", "/v1/messages?channel=all-hands", "", 200, `{"messages":[],"next":""}`},
		{"GET", "/v1/messages?agent=rita&q=first", "", 200, `"receipts":[{"message":"`},
		{"GET", "/v1/messages?agent=desk&q=first", "", 200, `"content":"first"`},
		{"GET", "/v1/messages?agent=nobody", "", 200, `{"messages":[],"next":""}`},
		{"GET", "/v1/messages?after=x", "", 400, "no page gave"},
		{"GET", "/v1/messages?limit=501", "", 400, "it is from 1 to 500"},
	})
	var page struct {
		Messages []struct{ Message struct{ Content string } }
		Next     string
	}
	var all []string
	for after := ""; ; after = "&after=" + url.QueryEscape(page.Next) {
		_, text := v.ask(t, "/v1/messages", viewing{method: "GET", path: "/v1/messages?limit=1" + after})
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Messages {
			all = append(all, m.Message.Content)
		}
		if page.Next == "" {
			break
		}
	}
	if got := strings.Join(all, " "); got != "THIRD second first" {
		t.Errorf("the pages have %q", got)
	}
}

func TestAPreviewIsStreamed(t *testing.T) {
	v := startViewed(t, "hooks: []\n")
	defer v.stop(t)
	v.all(t, "/v1/preview", []viewing{
		{"GET", "/v1/preview?since=soon", "", 400, "since is"},
		{"GET", "/v1/preview?agent=nobody", "", 400, "unknown agent"},
		{"GET", "/v1/preview?use=got", "", 400, "did you mean git?"},
		{"GET", "/v1/preview?x=1", "", 400, "there is no parameter"},
	})
	_, text := v.ask(t, "/v1/preview", viewing{method: "GET", path: "/v1/preview?since=all&agent=claude,codex&use=git"})
	last := ""
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			last = name
		}
	}
	if last != "result" || !strings.Contains(text, `"rules"`) {
		t.Errorf("got %s, want last == \"result\" and strings.Contains(text, `\"rules\"`)", text)
	}
}
