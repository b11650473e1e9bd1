//go:build linux

package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(withBrowser(m)) }

// withBrowser starts the browser and builds hookway once for all tests, if a browser is
// named.
func withBrowser(m *testing.M) int {
	end, err := startChromium()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer end()
	if bin = os.Getenv("HOOKWAY_E2E_BIN"); bin != "" || chromium == nil {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "hw-page-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-o", bin+"/", "../../cmd/...")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "hookway cannot be built: %v\n", err)
		return 1
	}
	return m.Run()
}

// TestATabHearsEveryComplaint: what the other tests conclude from silence, a bad page
// is loud about.
func TestATabHearsEveryComplaint(t *testing.T) {
	const policy = "default-src 'none'; script-src 'self'; connect-src 'self'"
	for _, c := range []struct{ name, script, body, want string }{
		{"an error in the console", `console.error("sad")`, "", `^console error: "?sad`},
		{"a warning", `console.warn("hm")`, "", `^console warning: "?hm`},
		{"an exception", `null.x`, "", `^exception: .*TypeError`},
		{"a promise that nobody looks at", `Promise.reject(new Error("left"))`, "", `^exception: .*left`},
		{"a script in the page", ``, `<script>1</script>`, `^console error: "?policy: script-src-elem inline`},
		{"a handler in the page", ``, `<p onclick="x()">`, `^console error: "?policy: script-src-attr inline`},
		{"a style in the page", ``, `<p style="color:red">`, `^console error: "?policy: style-src-attr inline`},
		{"an image from elsewhere", ``, `<img src="http://elsewhere.test/x.png">`, `^console error: "?policy: img-src http://elsewhere.test`},
		{"a request that is not answered well", `fetch("/missing")`, "", `^answer 404: `},
		{"a request that fails", `fetch("/gone").catch(() => 0)`, "", `^request failed: net::ERR_`},
		{"a dialog", `setTimeout(() => alert("hi"))`, "", `^dialog: hi`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTab(t)
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Security-Policy", policy)
				switch r.URL.Path {
				case "/":
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprintf(w, "<!doctype html><title>x</title><script src=/script.js></script>%s", c.body)
				case "/script.js":
					w.Header().Set("Content-Type", "text/javascript")
					fmt.Fprint(w, c.script)
				case "/gone":
					panic(http.ErrAbortHandler)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(site.Close)
			heard := regexp.MustCompile(c.want)
			p.expects(`.`)
			p.closesDialogs()
			p.goes(site.URL)
			p.awaits(t, c.want, func() bool { return slices.ContainsFunc(p.heardSoFar(), heard.MatchString) })
		})
	}
}

// TestATabSeesWhatMoves: a page that pushes its text down after it was shown is seen to.
func TestATabSeesWhatMoves(t *testing.T) {
	p := newTab(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><link rel=icon href="data:,"><title>x</title><div id=top></div><p>`+strings.Repeat("text ", 500))
	}))
	t.Cleanup(site.Close)
	p.goes(site.URL)
	if moved := p.moved(); moved != "" {
		t.Errorf("a page that stands still moves by %s", moved)
	}
	p.do(`document.querySelector("#top").style.height = "300px"; await new Promise(requestAnimationFrame)`)
	p.until("the page has moved", "hookwayShift.total > 0.01")
}
