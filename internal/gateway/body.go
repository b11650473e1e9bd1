package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Bounds of a body, besides its size.
const (
	maxDepth  = 32
	maxValues = 20_000
	maxFields = 1000 // of a form
)

// errType is why a body in no known form is refused.
var errType = errors.New("send application/json, application/x-www-form-urlencoded or text/plain, as UTF-8 and without a Content-Encoding")

// Parse reads a body by its Content-Type: JSON becomes what encoding/json makes of
// it, with numbers as they are written; a form an object of texts, or of lists of them
// where a name stands several times; text is a text.
func Parse(contentType string, body []byte) (any, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, errType
	}
	if charset := strings.ToLower(params["charset"]); charset != "" && charset != "utf-8" && charset != "us-ascii" {
		return nil, errType
	}
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not UTF-8")
	}
	switch {
	case kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"):
		return parseJSON(body)
	case kind == "application/x-www-form-urlencoded":
		return parseForm(string(body))
	case kind == "text/plain":
		return string(body), nil
	}
	return nil, errType
}

// parseForm reads a form. One that only wraps JSON, as GitHub sends it, is that JSON.
func parseForm(body string) (any, error) {
	if strings.Count(body, "&") >= maxFields {
		return nil, fmt.Errorf("the form has more than %d fields", maxFields)
	}
	values, err := url.ParseQuery(body)
	if err != nil {
		return nil, errors.New("the form cannot be read: it must be name=value, with & between them and % for other letters")
	}
	if text := values.Get("payload"); len(values) == 1 && strings.HasPrefix(strings.TrimSpace(text), "{") {
		return parseJSON([]byte(text))
	}
	out := make(map[string]any, len(values))
	for name, list := range values {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(list, "")) {
			return nil, errors.New("the form is not UTF-8")
		}
		if len(list) == 1 {
			out[name] = list[0]
			continue
		}
		all := make([]any, len(list))
		for i, text := range list {
			all[i] = text
		}
		out[name] = all
	}
	return out, nil
}

// parseJSON reads one JSON value within bounds. A name that stands twice in an
// object is refused: two readers could take it for two things.
func parseJSON(body []byte) (any, error) {
	r := &jsonReader{d: json.NewDecoder(bytes.NewReader(body))}
	r.d.UseNumber()
	value, err := r.value(0)
	if err != nil {
		return nil, r.explain(err)
	}
	if _, err := r.d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body goes on after its JSON value")
	}
	return value, nil
}

type jsonReader struct {
	d *json.Decoder
	n int
}

func (r *jsonReader) explain(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the body is not JSON: it ends too early")
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not JSON: at byte %d: %w", syntax.Offset, err)
	}
	return err
}

func (r *jsonReader) value(depth int) (any, error) {
	if r.n++; r.n > maxValues {
		return nil, fmt.Errorf("the body has more than %d values", maxValues)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the body nests deeper than %d", maxDepth)
	}
	t, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return r.object(depth)
	case json.Delim('['):
		return r.list(depth)
	}
	return t, nil
}

func (r *jsonReader) object(depth int) (any, error) {
	out := map[string]any{}
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if _, twice := out[name]; !ok || twice {
			return nil, errors.New("the body has a name twice in one object")
		}
		if out[name], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err := r.d.Token()
	return out, err
}

func (r *jsonReader) list(depth int) (any, error) {
	out := []any{}
	for r.d.More() {
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	_, err := r.d.Token()
	return out, err
}
