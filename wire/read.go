package wire

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

var (
	numberType       = reflect.TypeFor[json.Number]()
	toolResponseType = reflect.TypeFor[hook.ToolResponse]()
	unmarshalerType  = reflect.TypeFor[json.Unmarshaler]()
	textReaderType   = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// read fills a Go value from a valid JSON value. Unlike encoding/json it
// compares names exactly, keeps the digits of numbers in untyped places, and
// says in its errors which field is wrong, what it must be and what it is.
func read(v reflect.Value, text json.RawMessage, path string) error {
	t := v.Type()
	switch {
	case t == toolResponseType:
		return readToolResponse(v.Addr().Interface().(*hook.ToolResponse), text)
	case isNull(text) && t.Kind() != reflect.Interface:
		v.SetZero()
		return nil
	case t == numberType:
		if kind(text) != "a number" {
			return mustBe(path, "a number", text)
		}
		v.SetString(string(text))
		return nil
	case reflect.PointerTo(t).Implements(unmarshalerType), reflect.PointerTo(t).Implements(textReaderType):
		return readPlain(v, text, path)
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := reflect.New(t.Elem())
		if err := read(inner.Elem(), text, path); err != nil {
			return err
		}
		v.Set(inner)
		return nil
	case reflect.Struct:
		return readStruct(v, text, path)
	case reflect.Map:
		return readMap(v, text, path)
	case reflect.Slice:
		return readSlice(v, text, path)
	case reflect.Interface:
		return readAny(v, text, path)
	}
	return readScalar(v, text, path)
}

func mustBe(path, what string, text []byte) error {
	return fmt.Errorf("%s: it must be %s, not %s", path, what, kind(text))
}

// readPlain leaves a value to encoding/json.
func readPlain(v reflect.Value, text json.RawMessage, path string) error {
	if err := json.Unmarshal(text, v.Addr().Interface()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readScalar(v reflect.Value, text json.RawMessage, path string) error {
	switch v.Kind() {
	case reflect.String:
		if text[0] != '"' {
			return mustBe(path, "a string", text)
		}
		v.SetString(unquote(text))
	case reflect.Bool:
		if kind(text) != "a boolean" {
			return mustBe(path, "true or false", text)
		}
		v.SetBool(text[0] == 't')
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if kind(text) != "a number" {
			return mustBe(path, "a whole number", text)
		}
		n, ok := whole(string(text), strings.HasSuffix(path, "_ms"))
		if !ok || v.OverflowInt(n) {
			return fmt.Errorf("%s: it must be a whole number, not %s", path, excerpt(text))
		}
		v.SetInt(n)
	case reflect.Float32, reflect.Float64:
		if kind(text) != "a number" {
			return mustBe(path, "a number", text)
		}
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil || v.OverflowFloat(f) {
			return fmt.Errorf("%s: %s is out of range", path, excerpt(text))
		}
		v.SetFloat(f)
	default:
		return readPlain(v, text, path)
	}
	return nil
}

// whole reads a whole number however it is written (1000, 1e3, 1000.0). Of a
// time in milliseconds, which some agents measure finer, the fraction is dropped.
func whole(text string, dropFraction bool) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > 1<<53 {
		return 0, false
	}
	if f != math.Trunc(f) && !dropFraction {
		return 0, false
	}
	return int64(f), true
}

func readStruct(v reflect.Value, text json.RawMessage, path string) error {
	if text[0] != '{' {
		return mustBe(path, "an object", text)
	}
	s := shapeOf(v.Type())
	for _, m := range members(text) {
		f, ok := s.find(m.name)
		if !ok {
			continue
		}
		if err := read(f.make(v), m.value, path+"."+m.name); err != nil {
			return err
		}
	}
	return nil
}

func readMap(v reflect.Value, text json.RawMessage, path string) error {
	t := v.Type()
	if t.Key().Kind() != reflect.String || t.Key().Implements(textReaderType) {
		return readPlain(v, text, path)
	}
	if text[0] != '{' {
		return mustBe(path, "an object", text)
	}
	if t.Elem() == reflect.TypeFor[any]() {
		value := exact(text)
		v.Set(reflect.ValueOf(value).Convert(t))
		return nil
	}
	out := reflect.MakeMap(t)
	for _, m := range members(text) {
		element := reflect.New(t.Elem()).Elem()
		if err := read(element, m.value, path+"."+m.name); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(m.name).Convert(t.Key()), element)
	}
	v.Set(out)
	return nil
}

func readSlice(v reflect.Value, text json.RawMessage, path string) error {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return readPlain(v, text, path)
	}
	if text[0] != '[' {
		return mustBe(path, "an array", text)
	}
	parts := elements(text)
	out := reflect.MakeSlice(v.Type(), len(parts), len(parts))
	for i, part := range parts {
		if err := read(out.Index(i), part, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func readAny(v reflect.Value, text json.RawMessage, path string) error {
	if v.NumMethod() != 0 {
		return readPlain(v, text, path)
	}
	value := exact(text)
	if value == nil {
		v.SetZero()
		return nil
	}
	v.Set(reflect.ValueOf(value))
	return nil
}

// readToolResponse reads a tool's response as hook.ToolResponse describes it:
// any value that is not an object is the output; a field of ours that has another
// type is the agent's own and stays in Extra.
func readToolResponse(r *hook.ToolResponse, text json.RawMessage) error {
	*r = hook.ToolResponse{Success: true}
	switch text[0] {
	case 'n':
		return nil
	case '"':
		r.Output = unquote(text)
		return nil
	case '{':
	default:
		r.Output = string(text)
		return nil
	}
	value := exact(text)
	extra := value.(map[string]any)
	if b, ok := extra["success"].(bool); ok {
		r.Success = b
		delete(extra, "success")
	}
	if s, ok := extra["output"].(string); ok {
		r.Output = s
		delete(extra, "output")
	}
	if n, ok := extra["exit_code"].(json.Number); ok {
		if code, ok := whole(n.String(), false); ok && int64(int(code)) == code {
			exit := int(code)
			r.ExitCode = &exit
			delete(extra, "exit_code")
		}
	}
	if n, ok := extra["duration_ms"].(json.Number); ok {
		if ms, ok := whole(n.String(), true); ok && ms != 0 {
			r.DurationMS = ms
			delete(extra, "duration_ms")
		}
	}
	if len(extra) > 0 {
		r.Extra = extra
	}
	return nil
}

// excerpt is a short clean piece of a text, for errors.
func excerpt(text []byte) string {
	const most = 120
	line := hook.LogLine(string(text[:min(len(text), 16*most)]))
	if len(line) <= most {
		return line
	}
	cut := most
	for cut > 0 && line[cut]&0xC0 == 0x80 {
		cut--
	}
	return line[:cut] + "…"
}
