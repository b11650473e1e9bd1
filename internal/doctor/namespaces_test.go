package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
)

// noted writes what sessions have noted.
func noted(t *testing.T, state string, all ...audit.Namespace) {
	t.Helper()
	var text strings.Builder
	for _, n := range all {
		if err := json.NewEncoder(&text).Encode(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(audit.NamespacesPath(state), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownNamespacesAreListed(t *testing.T) {
	ws := filepath.Join(t.TempDir(), "ws")
	inner, other := filepath.Join(ws, "inner"), ws+"2"
	directive := func(layer string, state config.State, options ...hook.Option) config.Hook {
		return config.Hook{State: state, Layer: layer, Hook: hook.New("h", nil, append([]hook.Option{hook.For("onDirective")}, options...)...)}
	}
	c := &Checkup{state: t.TempDir(), Now: now, set: &config.Set{Workspace: ws, Hooks: []config.Hook{
		directive(config.LayerUser, config.Active, hook.MatchNamespace("everywhere")),
		directive(config.LayerWorkspace, config.Active, hook.MatchNamespace("deploy"), hook.MatchTarget("staging")),
		directive(config.LayerWorkspace, config.Untrusted, hook.MatchNamespace("untrusted")),
		{State: config.Active, Hook: hook.New("all", nil, hook.For("*"))},
		{State: config.Active, Hook: hook.New("tool", nil, hook.For("PreToolUse"))},
	}}}
	if s := c.namespaces(); len(s.Findings) > 0 {
		t.Errorf("nothing was noted, but: %+v", s.Findings)
	}
	noted(t, c.state,
		audit.Namespace{Name: "deploi", Count: 3, Last: now.Add(-2 * time.Minute), Dir: ws, Agent: "Alice"},
		audit.Namespace{Name: "sha256", Count: 1, Last: now.Add(-3 * time.Hour), Dir: inner},
		audit.Namespace{Name: "deploy", Count: 1, Last: now.Add(-4 * time.Hour), Dir: inner},
		audit.Namespace{Name: "deploy", Count: 1, Last: now.Add(-5 * time.Hour), Dir: other},
		audit.Namespace{Name: "everywhere", Count: 1, Last: now, Dir: other},
		audit.Namespace{Name: "untrusted", Count: 1, Last: now.Add(-6 * time.Hour), Dir: ws},
		audit.Namespace{Name: "old", Count: 1, Last: now.Add(-2 * namespaceNews), Dir: ws},
	)
	s := c.namespaces()
	if len(s.Findings) != 4 {
		t.Errorf("%d findings: %+v", len(s.Findings), s.Findings)
	}
	for text, mend := range map[string]string{
		"@deploi: no hook took 3 directives; the last 2 minutes ago, of Alice in " + ws:    "did the agent mean @deploy:?",
		"@sha256: no hook took 1 directive; the last 3 hours ago, of an agent in " + inner: "if it is meant for a hook, give one on: Directive, match: {namespace: sha256}",
		"@deploy: no hook took 1 directive; the last 5 hours ago, of an agent in " + other: "if it is meant",
		"@untrusted: no hook took 1 directive; the last 6 hours ago, of an agent in " + ws: "if it is meant",
	} {
		if f := s.find(t, text); f.Level != Note || !strings.HasPrefix(f.Mend, mend) {
			t.Errorf("%+v, mend with %q", f, mend)
		}
	}
}

func TestManyUnknownNamespacesAreCounted(t *testing.T) {
	c := &Checkup{state: t.TempDir(), Now: now, set: &config.Set{}}
	var all []audit.Namespace
	for i := range namespaceLines + 2 {
		all = append(all, audit.Namespace{Name: fmt.Sprintf("n%d", i), Count: 1, Last: now, Dir: "/work"})
	}
	noted(t, c.state, all...)
	if s := c.namespaces(); len(s.Findings) != namespaceLines+1 {
		t.Errorf("%d findings", len(s.Findings))
	} else {
		s.find(t, "and 2 namespaces more")
	}
}
