//go:build unix

package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/audit"
)

// recordPage is the answer of GET /v1/record.
type recordPage struct {
	Records  []audit.Record
	Next     string
	Total    int
	Problems []string
}

func TestTheRecordIsReadAPageAtATime(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	for _, command := range []string{"ls", "git push --force", "rm -rf /", "go test ./..."} {
		if status, text := h.ask("POST", "/v1/events", h.firing(command, `,"session_id":"s1","agent":"mine"`)); status != http.StatusOK {
			t.Fatalf("got %d %s, want %d", status, text, http.StatusOK)
		}
	}
	get := func(query string) (page recordPage) {
		t.Helper()
		status, text := h.ask("GET", "/v1/record?"+query, "")
		if err := json.Unmarshal([]byte(text), &page); status != http.StatusOK || err != nil {
			t.Fatalf("%s: got %d %s %v, want status == http.StatusOK and err == nil", query, status, text, err)
		}
		return page
	}
	for query, want := range map[string][]int64{
		"":                              {4, 3, 2, 1},
		"order=asc":                     {1, 2, 3, 4},
		"action=block":                  {3},
		"q=PUSH+git":                    {2},
		"q=%22push+git%22":              {},
		"session=s1&agent=mine":         {4, 3, 2, 1},
		"session=other":                 {},
		"hook=no-rm":                    {3},
		"event=pre_tool_use":            {4, 3, 2, 1},
		"since=1h&until=0s":             {4, 3, 2, 1},
		"until=1h":                      {},
		"would=true":                    {},
		"rule=git/force-push":           {},
		"cwd=" + url.QueryEscape(h.dir): {4, 3, 2, 1},
		"cwd=/nowhere":                  {},
	} {
		if got := numbers(get(query).Records); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q gives %v, want %v", query, got, want)
		}
	}
	first := get("limit=3")
	rest := get("limit=3&after=" + first.Next)
	if got := append(numbers(first.Records), numbers(rest.Records)...); fmt.Sprint(got) != "[4 3 2 1]" || rest.Next != "" || first.Total != 4 {
		t.Errorf("two pages have %v: %+v", got, rest)
	}
}

// TestALogThatIsReplacedIsNotPagedOn: whoever is in the middle of it is told so.
func TestALogThatIsReplacedIsNotPagedOn(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	fill := func() {
		t.Helper()
		for _, command := range []string{"ls", "git push --force", "rm -rf /", "go test ./..."} {
			if status, text := h.ask("POST", "/v1/events", h.firing(command, `,"session_id":"s1","agent":"mine"`)); status != http.StatusOK {
				t.Fatalf("got %d %s, want %d", status, text, http.StatusOK)
			}
		}
	}
	fill()
	for _, order := range []string{"desc", "asc"} {
		path := "/v1/record?limit=2&order=" + order
		var page recordPage
		if status, text := h.ask("GET", path, ""); status != http.StatusOK || json.Unmarshal([]byte(text), &page) != nil || page.Next == "" {
			t.Fatalf(`got %d %s, want status == http.StatusOK and json.Unmarshal([]byte(text), &page) == nil and page.Next != ""`, status, text)
		}
		files, err := audit.Files(filepath.Join(h.home, "audit"))
		if err != nil || len(files) != 1 {
			t.Fatalf("got %v, %v, want err == nil and len(files) == 1", files, err)
		}
		if err := os.Remove(files[0].Path); err != nil {
			t.Fatal(err)
		}
		refused := func(what string) {
			t.Helper()
			status, text := h.ask("GET", path+"&after="+page.Next, "")
			if want(t, text, "urn:hookway:problem:other-log", "begin with the first page again", `"field":"after"`); status != http.StatusGone {
				t.Errorf("%s: got %d %s, want %d", what, status, text, http.StatusGone)
			}
		}
		refused("the log is gone")
		fill()
		refused("there is another one")
		if status, text := h.ask("GET", path, ""); status != http.StatusOK {
			t.Errorf("the first page: %d %s", status, text)
		}
	}
}

func numbers(records []audit.Record) []int64 {
	list := []int64{}
	for _, r := range records {
		list = append(list, r.Seq)
	}
	return list
}

func TestOneRecordHasItsEventAndItsNeighbours(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	for range 3 {
		h.ask("POST", "/v1/events", h.firing("ls"))
	}
	status, text := h.ask("GET", "/v1/record/2", "")
	want(t, text, `"older":1`, `"newer":3`, `"revised_by":[]`)
	if status != http.StatusOK {
		t.Errorf("got %v, want %v", status, http.StatusOK)
	}
	for path, wanted := range map[string]int{"/v1/record/17": http.StatusNotFound, "/v1/record/x": http.StatusBadRequest, "/v1/record?limit=0": http.StatusBadRequest,
		"/v1/record?after=x": http.StatusBadRequest, "/v1/record?since=x": http.StatusBadRequest, "/v1/record?action=blok": http.StatusBadRequest,
		"/v1/record?would=x": http.StatusBadRequest, "/v1/record?cwd=x": http.StatusBadRequest, "/v1/record?order=x": http.StatusBadRequest, "/v1/stats?tz=Nowhere/Land": http.StatusBadRequest} {
		if status, text := h.ask("GET", path, ""); status != wanted {
			t.Errorf("%s: got %d %s, want %d", path, status, text, wanted)
		}
	}
}

func TestTheFiguresAreThoseOfTheRecord(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	for _, command := range []string{"ls", "rm -rf /", "rm -rf /"} {
		h.ask("POST", "/v1/events", h.firing(command, `,"agent":"mine"`))
	}
	status, text := h.ask("GET", "/v1/stats?since=1d&tz=Europe/Berlin", "")
	want(t, text, `"decisions":3`, `"by_action":{"block":2,"continue":1}`, `{"agent":"mine","decisions":3`, `"hook":"no-rm","runs":2,"blocks":2`)
	if status != http.StatusOK {
		t.Errorf("got %v, want %v", status, http.StatusOK)
	}
}
