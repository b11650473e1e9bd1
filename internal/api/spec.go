package api

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// Bounds of one registration.
const (
	maxName         = 200  // bytes of an id
	maxDescription  = 4096 // bytes
	maxEvents       = 256  // of one hook
	maxPatterns     = 1024 // of one matcher, with those inside it
	maxPatternBytes = 64 << 10
	maxNesting      = 32 // of matchers
)

// hookOf makes a hook of what somebody registers, without its handler. The error
// lists everything that is wrong, in the words in which mistakes in hookway.yaml
// get them. Events are looked up where the hook is registered: a workspace may
// have its own.
func hookOf(s *hookwayv1.HookSpec) (hook.Hook, error) {
	if s == nil {
		return hook.Hook{}, errors.New("there is no hook; it needs an id and the names of its events")
	}
	var r specReader
	id := plainID(s.GetId())
	r.name(id)
	if len(s.GetOn()) == 0 {
		r.fail("the hook has no on; name its events, as in on: [PreToolUse]")
	}
	if len(s.GetOn()) > maxEvents {
		r.fail("on names %d events; the limit is %d, and \"*\" is every event", len(s.GetOn()), maxEvents)
	}
	if len(s.GetDescription()) > maxDescription {
		r.fail("description has %d bytes; the limit is %d", len(s.GetDescription()), maxDescription)
	}
	var options []hook.Option
	if p, ok := r.profile(s.GetProfile()); ok {
		options = append(options, hook.WithProfile(p))
	}
	if s.Priority != nil {
		options = append(options, hook.Priority(int(s.GetPriority())))
	}
	if d, ok := r.duration("timeout", s.GetTimeout(), hook.MaxTimeout); ok {
		options = append(options, hook.Timeout(d))
	}
	options = append(options, hook.For(s.GetOn()...), hook.As(r.lane(s.GetLane())), hook.Retries(r.retries(s.GetMaxRetries())),
		hook.OnFailure(r.failure(s.GetOnFailure())), hook.Matching(r.match(s.GetMatch(), 0)))
	h := hook.New(id, nil, options...)
	if err := h.Match.Check(); err != nil {
		r.fail("match: %w", err)
	}
	return h, errors.Join(r.errs...)
}

// plainID is an id without what stands before it in outcomes and in the record, so
// that a hook is found by the name that is read there, too.
func plainID(id string) string { return strings.TrimPrefix(id, "api:") }

// specReader gathers what is wrong with a registration.
type specReader struct {
	errs     []error
	patterns int
	bytes    int
}

func (r *specReader) fail(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

// name checks an id: text on one line without blanks around it.
func (r *specReader) name(id string) {
	switch {
	case id == "":
		r.fail("the hook has no id; give it one that is unique among those you register")
	case len(id) > maxName:
		r.fail("id is longer than %d bytes", maxName)
	case strings.TrimSpace(id) != id:
		r.fail("id %q begins or ends with a blank", id)
	case strings.ContainsFunc(id, func(c rune) bool { return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp) }):
		r.fail("id %q has a control character", id)
	}
}

// choice reads one word of a list, in any case.
func (r *specReader) choice(what, word string, words ...string) (string, bool) {
	if word == "" {
		return "", false
	}
	for _, w := range words {
		if strings.EqualFold(word, w) {
			return w, true
		}
	}
	known := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	hint := ""
	if near := hook.Nearest(word, words); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	r.fail("%s %q is unknown; it is %s%s", what, clip(word), known, hint)
	return "", false
}

func (r *specReader) lane(word string) hook.Lane {
	word, ok := r.choice("lane", word, "transform", "guard", "observe")
	if !ok {
		return hook.Transform
	}
	lane, _ := hook.ParseLane(word)
	return lane
}

func (r *specReader) failure(word string) hook.Failure {
	word, ok := r.choice("on_failure", word, "continue", "block")
	if !ok {
		return hook.FailDefault
	}
	policy, _ := hook.ParseFailure(word)
	return policy
}

func (r *specReader) profile(word string) (hook.Profile, bool) {
	var names []string
	for _, p := range hook.Profiles() {
		names = append(names, p.Name)
	}
	word, ok := r.choice("profile", word, names...)
	if !ok {
		return hook.Profile{}, false
	}
	p, _ := hook.ParseProfile(word)
	return p, true
}

func (r *specReader) retries(n int32) int {
	if n < 0 || n > hook.MaxRetries {
		r.fail("max_retries is %d; it must be between 0 and %d", n, hook.MaxRetries)
		return 0
	}
	return int(n)
}

// duration reads a time span that may be left out.
func (r *specReader) duration(what string, d *durationpb.Duration, limit time.Duration) (time.Duration, bool) {
	if d == nil {
		return 0, false
	}
	span := d.AsDuration() // it saturates
	switch {
	case d.CheckValid() != nil && span != math.MaxInt64 && span != math.MinInt64:
		r.fail("%s is not a time span: %w", what, d.CheckValid())
	case span < 0:
		r.fail("%s is negative", what)
	case span > limit:
		r.fail("%s is %v; at most %v is taken for meant", what, span, limit)
	default:
		return span, true
	}
	return 0, false
}

// match reads a matcher, and those inside it.
func (r *specReader) match(m *hookwayv1.Matcher, depth int) hook.Match {
	if m == nil {
		return hook.Match{}
	}
	if depth > maxNesting {
		if depth == maxNesting+1 {
			r.fail("match: matchers are nested deeper than %d", maxNesting)
		}
		return hook.Match{}
	}
	if r.list([]string{""}); r.tooMuch() { // each counts, an empty one, too
		return hook.Match{}
	}
	out := hook.Match{
		Tool: r.list(m.GetTool()), Path: r.list(m.GetPath()), Command: r.list(m.GetCommand()), Session: r.list(m.GetSession()),
		Agent: r.list(m.GetAgent()), Source: r.list(m.GetSource()), Namespace: r.list(m.GetNamespace()), Target: r.list(m.GetTarget()),
	}
	for name, pattern := range m.GetFields() {
		if out.Fields == nil {
			out.Fields = map[string][]string{}
		}
		out.Fields[name] = r.list([]string{pattern})
	}
	for _, inner := range m.GetAny() {
		out.Any = append(out.Any, r.match(inner, depth+1))
	}
	for _, inner := range m.GetAll() {
		out.All = append(out.All, r.match(inner, depth+1))
	}
	if m.Not != nil && !isEmpty(m.GetNot()) { // an empty one says nothing, as an empty any or all
		inner := r.match(m.GetNot(), depth+1)
		out.Not = &inner
	}
	return out
}

// list counts patterns: what is registered is asked at every event.
func (r *specReader) list(patterns []string) []string {
	before := r.tooMuch()
	r.patterns += len(patterns)
	for _, p := range patterns {
		r.bytes += len(p)
	}
	if !before && r.tooMuch() {
		r.fail("match: there are more than %d patterns, or %d bytes of them", maxPatterns, maxPatternBytes)
	}
	if r.tooMuch() {
		return nil // they are not compiled
	}
	return slices.Clone(patterns)
}

func (r *specReader) tooMuch() bool { return r.patterns > maxPatterns || r.bytes > maxPatternBytes }

func isEmpty(m *hookwayv1.Matcher) bool {
	return len(m.GetTool())+len(m.GetPath())+len(m.GetCommand())+len(m.GetSession())+len(m.GetAgent())+len(m.GetSource())+
		len(m.GetNamespace())+len(m.GetTarget())+len(m.GetFields())+len(m.GetAny())+len(m.GetAll()) == 0 && m.Not == nil
}

// folder reads the workspace of a registration: "" or an absolute path.
func folder(cwd string) (string, error) {
	if cwd == "" {
		return "", nil
	}
	if !filepath.IsAbs(cwd) || strings.ContainsRune(cwd, 0) {
		return "", fmt.Errorf("cwd %q is not an absolute path; give the folder of the workspace, or none for every event of the user", clip(cwd))
	}
	return filepath.Clean(cwd), nil
}

// clip shortens a value that is quoted in a message.
func clip(s string) string { return visible.Clip(s, 80) }
