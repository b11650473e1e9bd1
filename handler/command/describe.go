package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
)

// DescribeTimeout is how long a program may take to describe itself.
const DescribeTimeout = 5 * time.Second

// Description is what a program of a hooks folder says about itself. Fields that
// it leaves out are empty or nil; the configuration's defaults hold for them.
type Description struct {
	Name        string
	Description string
	Events      []string       // as written: names or aliases
	Timing      string         // of events that name a stage, as acai has them: before or after
	Priority    *int           // lower first
	Timeout     *time.Duration // zero is none
	MaxRetries  *int
	Lane        string          // transform, guard or observe
	Async       bool            // true is the observe lane
	OnFailure   string          // continue or block
	Needs       []string        // of a worker; see Config
	Mode        string          // "worker" keeps one process; see the package comment
	Profile     string          // whose habits to keep
	Match       json.RawMessage // the matcher, as hookway.yaml writes it; nil matches all
}

// Describe asks a program which events it wants: it is run with
// HOOK_ACTION=describe and an empty stdin, and prints one JSON object such as
//
//	{"name":"guard","events":["PreToolUse"],"priority":10,"timeout_ms":500,"lane":"guard","match":{"tool":"Bash"}}
//
// "event" stands for one event, "matcher" for match, and "timeout" is a text
// such as "500ms" or a number of milliseconds. A name that is nearly one of these is
// a mistake; others are the program's own. It may take DescribeTimeout, or until the context ends. Every error names the program.
func Describe(ctx context.Context, c Config) (Description, error) {
	d, err := describe(ctx, c)
	if err != nil {
		return Description{}, fmt.Errorf("%s: it cannot be asked for its events (HOOK_ACTION=describe): %w", c.label(), err)
	}
	return d, nil
}

func describe(ctx context.Context, c Config) (d Description, err error) {
	if err := c.check(); err != nil {
		return d, err
	}
	if c, err = c.settled(); err != nil {
		return d, err
	}
	own, cancel := context.WithTimeout(ctx, DescribeTimeout)
	defer cancel()
	r := newRunner(c.Grace)
	done, err := r.run(own, c.spec(environOf(ctx), "", "HOOK_ACTION=describe", "HOOKWAY_WORKER=", "HOOKWAY_EVENT=", "HOOKWAY_SESSION_ID="), nil)
	if err != nil {
		if ctx.Err() == nil && own.Err() != nil {
			err = fmt.Errorf("no answer within %v; print the description and exit: %w", DescribeTimeout, err)
		}
		return d, errors.Join(err, r.close())
	}
	if !done.state.Success() {
		return d, failure(done)
	}
	c.logLines(done.stderr)
	return parseDescription(done.stdout)
}

// described is the JSON form of a Description.
type described struct {
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	Event       *string         `json:"event"`
	Events      any             `json:"events"`
	Timing      *string         `json:"timing"`
	Priority    *int            `json:"priority"`
	Timeout     any             `json:"timeout"`
	TimeoutMS   *int64          `json:"timeout_ms"`
	MaxRetries  *int            `json:"max_retries"`
	Lane        *string         `json:"lane"`
	Async       *bool           `json:"async"`
	OnFailure   *string         `json:"on_failure"`
	Mode        *string         `json:"mode"`
	Needs       []string        `json:"needs"`
	Profile     *string         `json:"profile"`
	Match       json.RawMessage `json:"match"`
	Matcher     json.RawMessage `json:"matcher"`
}

func parseDescription(data []byte) (Description, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return Description{}, errors.New("it printed nothing; print a JSON object with at least \"events\"")
	}
	if data[0] != '{' {
		return Description{}, fmt.Errorf("it printed %q instead of a JSON object", firstLine(data))
	}
	var in described
	if err := json.Unmarshal(data, &in); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return Description{}, fmt.Errorf("%q is a %s; it must be of the type %s", wrong.Field, wrong.Value, wrong.Type)
		}
		return Description{}, fmt.Errorf("its description is not JSON (%w): %q", err, firstLine(data))
	}
	if err := misspelt(data); err != nil {
		return Description{}, err
	}
	return in.description()
}

// misspelt finds names that are nearly one of a description: a hook without its lane,
// or its matcher, would be another one.
func misspelt(data []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return fmt.Errorf("its description is not JSON (%w): %q", err, firstLine(data))
	}
	var known []string
	for field := range reflect.TypeFor[described]().Fields() {
		known = append(known, field.Tag.Get("json"))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if near := hook.Misspelt(name, known); near != "" && !slices.Contains(known, name) {
			return fmt.Errorf("its description has %q; did you mean %q?", name, near)
		}
	}
	return nil
}

func (in *described) description() (Description, error) {
	d := Description{
		Name: text(in.Name), Description: text(in.Description), Lane: text(in.Lane), OnFailure: text(in.OnFailure),
		Mode: text(in.Mode), Timing: text(in.Timing), Needs: in.Needs, Profile: text(in.Profile),
		Priority: in.Priority, MaxRetries: in.MaxRetries, Async: in.Async != nil && *in.Async, Match: in.Match,
	}
	var errs []error
	var err error
	if d.Events, err = in.events(); err != nil {
		errs = append(errs, err)
	}
	if d.Timeout, err = in.timeout(); err != nil {
		errs = append(errs, err)
	}
	if d.Match == nil {
		d.Match = in.Matcher
	}
	switch {
	case d.Match == nil || bytes.Equal(d.Match, []byte("null")):
		d.Match = nil
	case d.Match[0] != '{':
		errs = append(errs, fmt.Errorf("\"match\" is %s; it must be an object", quoted(d.Match)))
	}
	if d.Mode != "" && d.Mode != "worker" {
		errs = append(errs, fmt.Errorf("\"mode\" is %q; the only mode is \"worker\"", d.Mode))
	}
	if len(errs) == 0 {
		return d, nil
	}
	err = errs[0]
	for _, more := range errs[1:] { // on one line
		err = fmt.Errorf("%w; %w", err, more)
	}
	return Description{}, err
}

// events reads "events", a list or one name, and "event".
func (in *described) events() ([]string, error) {
	var names []string
	switch v := in.Events.(type) {
	case nil:
	case string:
		names = append(names, v)
	case []any:
		for _, entry := range v {
			name, ok := entry.(string)
			if !ok {
				return nil, fmt.Errorf("\"events\" has the entry %v; it must be a list of names", entry)
			}
			names = append(names, name)
		}
	default:
		return nil, fmt.Errorf("\"events\" is %v; it must be a list of names", v)
	}
	if in.Event != nil {
		names = append(names, *in.Event)
	}
	if len(names) == 0 {
		return nil, errors.New("it names no event; print \"events\": [\"PreToolUse\"], for instance")
	}
	return names, nil
}

// timeout reads "timeout_ms", or "timeout" as a text with a unit or as milliseconds.
func (in *described) timeout() (*time.Duration, error) {
	var d time.Duration
	switch v := in.Timeout.(type) {
	case nil:
		if in.TimeoutMS == nil {
			return nil, nil
		}
		d = time.Duration(*in.TimeoutMS) * time.Millisecond
	case float64:
		d = time.Duration(v * float64(time.Millisecond))
	case string:
		var err error
		if d, err = time.ParseDuration(v); err != nil {
			return nil, fmt.Errorf("\"timeout\" is %q; write it as in \"500ms\" or \"30s\"", v)
		}
	default:
		return nil, fmt.Errorf("\"timeout\" is %v; write it as in \"500ms\" or as milliseconds", v)
	}
	if d < 0 {
		return nil, fmt.Errorf("a timeout of %v is impossible; zero is none", d)
	}
	return &d, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
