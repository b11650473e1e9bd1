package gateway_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/gateway"
)

func TestTemplates(t *testing.T) {
	body, err := gateway.Parse("application/json", []byte(`{"a":{"b":[{"c d":"deep"},2]},"n":12345678901234567890.10,"t":true,"z":null,"é":"e"}`))
	if err != nil {
		t.Fatal(err)
	}
	in := gateway.Input{Body: body, Header: http.Header{"X-Event": {"push"}}}
	for text, want := range map[string]string{
		`plain`: "plain", ``: "", `{{ .a.b.0."c d" }}`: "deep", `{{.n}}!`: "12345678901234567890.10!", `{{ .t }}`: "true", `{{ .é }}`: "e",
		`{{ .a.b }}`: `[{"c d":"deep"},2]`, `{{ header "x-event" }}`: "push", `{{ .no | default "d" }}`: "d", `{{ .z|default "d" }}`: "d",
		`{{ "{{" }} }}`: "{{ }}", `{{ header "X-No" | default "" }}`: "", "{{\n.t\n}}": "true", `a }} b`: "a }} b",
	} {
		tm, err := gateway.ParseTemplate(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := tm.Text(in, 1000); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want err == nil and got == want", text, got, err)
		}
	}
	for _, text := range []string{`{{ .no }}`, `{{ .z }}`, `{{ .a.b.9 }}`, `{{ .t.x }}`, `{{ .a.b.-1 }}`, `{{ header "X-No" }}`} {
		var missing *gateway.MissingError
		if _, err := template(t, text).Text(in, 1000); !errors.As(err, &missing) {
			t.Errorf("%s: got %v, want errors.As(err, &missing)", text, err)
		}
	}
	if _, err := template(t, "{{ . }}{{ . }}").Text(in, 100); err == nil {
		t.Error("the result is not bounded")
	}
	if _, err := template(t, "{{ . }}").Value(in, 10); err == nil {
		t.Error("a value is not bounded")
	}
	if v, err := template(t, "{{ .n }}").Value(in, 100); err != nil || v != json.Number("12345678901234567890.10") {
		t.Errorf(`got %v %v, want err == nil and v == json.Number("12345678901234567890.10")`, v, err)
	}
}

func TestTemplatesThatAreWrongSayWhere(t *testing.T) {
	for text, want := range map[string]int{
		`x {{ .a`: 7, `{{ a }}`: 3, `{{ .a. }}`: 6, `{{ .a | upper }}`: 8, `{{ header X }}`: 10, `{{ header "a b" }}`: 15, `{{ .a .b }}`: 6,
		`{{ .a | default x }}`: 16, `{{ "x }}`: 3, `{{ range .a }}`: 3, `{{ }}`: 3,
	} {
		_, err := gateway.ParseTemplate(text)
		var wrong *gateway.TemplateError
		if !errors.As(err, &wrong) || wrong.Offset != want {
			t.Errorf("%s: got %+v, want errors.As(err, &wrong) and wrong.Offset == want", text, wrong)
		}
	}
	for _, text := range []string{strings.Repeat("x", 17<<10), strings.Repeat("{{ . }}", 300), "{{ " + strings.Repeat(".a", 40) + " }}"} {
		if _, err := gateway.ParseTemplate(text); err == nil {
			t.Errorf("%.20s… was taken", text)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for body, want := range map[string]string{
		"": "ends too early", "{": "ends too early", `{"a":1}{}`: "goes on", `{"a":1,"a":2}`: "twice", strings.Repeat("[", 100) + strings.Repeat("]", 100): "deeper",
		"[" + strings.Repeat("1,", 30_000) + "1]": "values", "{\"a\":\"\xff\"}": "UTF-8", `{'a':1}`: "byte", `nope`: "not JSON",
	} {
		if _, err := gateway.Parse("application/json", []byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v", body, err)
		}
	}
	for _, kind := range []string{"", "text/html", "multipart/form-data; boundary=x", "application/json; charset=latin1", "application/xml", "nonsense/"} {
		if _, err := gateway.Parse(kind, []byte(`{}`)); err == nil {
			t.Errorf("%q was taken", kind)
		}
	}
	for kind, want := range map[string]any{
		"application/vnd.github+json; charset=UTF-8": map[string]any{"a": "b"}, "text/plain": `{"a":"b"}`,
	} {
		if got, err := gateway.Parse(kind, []byte(`{"a":"b"}`)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v %v, want err == nil and reflect.DeepEqual(got, want)", kind, got, err)
		}
	}
	if got, err := gateway.Parse("application/x-www-form-urlencoded", []byte("a=1&b=2&b=%C3%A9")); err != nil || !reflect.DeepEqual(got, map[string]any{"a": "1", "b": []any{"2", "é"}}) {
		t.Errorf(`got %v %v, want err == nil and reflect.DeepEqual(got, map[string]any{"a": "1", "b": []any{"2", "é"}})`, got, err)
	}
	for _, form := range []string{"a=%FF", "a=%zz", strings.Repeat("a=1&", 2000)} {
		if _, err := gateway.Parse("application/x-www-form-urlencoded", []byte(form)); err == nil {
			t.Errorf("%.20s was taken", form)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"a", "{{ .a }}", `{{ header "X" | default "" }}`, `{{ .a."b".0 }} {{ "{{" }}`, "{{", "{{ .é.ü }}"} {
		f.Add(text, `{"a":{"b":[1]}}`)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		tm, err := gateway.ParseTemplate(text)
		if err != nil {
			var wrong *gateway.TemplateError
			if !errors.As(err, &wrong) || wrong.Offset < 0 || wrong.Offset > len(text) {
				t.Fatalf("%q: got %v, want errors.As(err, &wrong) and wrong.Offset >= 0 and wrong.Offset <= len(text)", text, err)
			}
			return
		}
		parsed, err := gateway.Parse("application/json", []byte(body))
		if err != nil {
			return
		}
		out, err := tm.Text(gateway.Input{Body: parsed}, 1000)
		if sound := utf8.ValidString(out) || err != nil || !utf8.ValidString(text); len(out) > 1000 || !sound {
			t.Fatalf("%q gives %q", text, out)
		}
	})
}

func FuzzSignatureHeaders(f *testing.F) {
	f.Add("sha256=00", "msg_1", "1700000000", "v1,AAAA")
	f.Add("", "", "", "")
	f.Add("sha256=zz", "a.b", "-1", "v1, v1,= v2,AA==")
	f.Fuzz(func(t *testing.T, hub, id, at, signature string) {
		h := http.Header{"X-Hub-Signature-256": {hub}, "Webhook-Id": {id}, "Webhook-Timestamp": {at}, "Webhook-Signature": {signature}, "Content-Type": {"application/json"}}
		for _, scheme := range []gateway.Auth{{Scheme: gateway.GitHub, SecretEnv: "CI"}, {Scheme: gateway.Standard, SecretEnv: "STD"}, {Scheme: gateway.Bearer, SecretEnv: "CI", Header: "Webhook-Id"}} {
			p := newPost(t, "", mapping(t, func(m *gateway.Mapping) { m.Auth = scheme }))
			call, err := p.Admit(t.Context(), "ci", h)
			if err == nil {
				_, err = call.Do(t.Context(), []byte(`{"title":"x"}`))
			}
			if err == nil && id != token {
				t.Fatalf("%s let in %v", scheme.Scheme, h)
			}
		}
	})
}
