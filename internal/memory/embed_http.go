package memory

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// caller asks one server for the vectors of one model.
type caller struct {
	base            *url.URL
	key             string
	model           string
	dims            int
	query, document string // prefixes
	timeout         time.Duration
}

// embedClient follows no redirects: the texts are for the server that was
// named.
var embedClient = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
	},
}

// inputs are the texts as the model wants them.
func (c *caller) inputs(texts []string, query bool) []string {
	prefix := c.document
	if query {
		prefix = c.query
	}
	in := make([]string, len(texts))
	for i, t := range texts {
		in[i] = prefix + cut(strings.ToValidUTF8(t, "\uFFFD"), maxEmbedded)
	}
	return in
}

// within is how long an answer may take.
func (c *caller) within(query bool) time.Duration {
	if query {
		return c.timeout
	}
	return max(c.timeout, batchTime)
}

// post sends a request and reads its answer into a value.
func (c *caller) post(ctx context.Context, within time.Duration, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(data))
	if err != nil {
		return c.failed(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header["Idempotency-Key"] = nil // is not sent: it tells the transport to ask again where a kept connection is dead
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := embedClient.Do(req)
	if err != nil {
		return c.failed(err)
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.failed(err)
	case len(data) > maxAnswer:
		return c.failed(fmt.Errorf("it answered more than %d MiB", maxAnswer>>20))
	case resp.StatusCode != http.StatusOK:
		return c.refused(resp.StatusCode, data)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return c.failed(fmt.Errorf("its answer is not JSON of embeddings (%w); is the url right?", err))
	}
	return nil
}

// failed says which embedder failed, and never with which key.
func (c *caller) failed(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) { // it says the URL again
		err = outer.Err
	}
	hint := ""
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		hint = "; is it running?"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not answer in time: %w", context.DeadlineExceeded)
	}
	return fmt.Errorf("the embedder %s: %w%s", c.base.Redacted(), err, hint)
}

// refused says what an answer means that has no vectors.
func (c *caller) refused(status int, data []byte) error {
	message := c.complaint(data)
	switch {
	case status == http.StatusNotFound && strings.Contains(message, "try pulling it"):
		return c.failed(fmt.Errorf("it has no model %s; run ollama pull %s", c.model, c.model))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return c.failed(fmt.Errorf("it wants another key (%d); check the variable that api_key_env names", status))
	case status >= 300 && status < 400:
		return c.failed(fmt.Errorf("it answered %d, and redirects are not followed: give the url of the server that answers itself", status))
	}
	said := fmt.Sprintf("it answered %d", status)
	if status == http.StatusTooManyRequests {
		said = "it asks us to wait (429)"
	}
	if message != "" {
		said += ": " + message
	}
	return c.failed(errors.New(said))
}

// complaint is what an answer says, in either of the two forms, on one line.
func (c *caller) complaint(data []byte) string {
	var plain struct{ Error string }
	var nested struct{ Error struct{ Message string } }
	text := string(data)
	if json.Unmarshal(data, &plain) == nil && plain.Error != "" {
		text = plain.Error
	} else if json.Unmarshal(data, &nested) == nil && nested.Error.Message != "" {
		text = nested.Error.Message
	}
	if c.key != "" {
		text = strings.ReplaceAll(text, c.key, "…")
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return cut(strings.TrimSpace(text), 200)
}

// ollama is the embedder of an Ollama server.
type ollama struct{ *caller }

func (o ollama) Embed(ctx context.Context, texts []string, query bool) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	request := struct {
		Model     string   `json:"model"`
		Input     []string `json:"input"`
		Truncate  bool     `json:"truncate"`
		Dims      int      `json:"dimensions,omitempty"`
		KeepAlive string   `json:"keep_alive"`
	}{o.model, o.inputs(texts, query), true, o.dims, ollamaKeepLive}
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	if err := o.post(ctx, o.within(query), "api/embed", request, &answer); err != nil {
		return nil, err
	}
	vectors, err := checked(answer.Embeddings, len(texts), o.dims)
	if err != nil {
		return nil, o.failed(err)
	}
	return vectors, nil
}

// openAI is the embedder of a server that speaks like OpenAI's.
type openAI struct{ *caller }

func (o openAI) Embed(ctx context.Context, texts []string, query bool) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	request := struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
		Dims   int      `json:"dimensions,omitempty"`
	}{o.model, o.inputs(texts, query), "float", o.dims}
	var answer struct {
		Data []struct {
			Index     int     `json:"index"`
			Embedding numbers `json:"embedding"`
		} `json:"data"`
	}
	if err := o.post(ctx, o.within(query), "embeddings", request, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(texts) || vectors[d.Index] != nil {
			return nil, o.failed(fmt.Errorf("it gave a vector for text %d of %d, or gave it twice", d.Index, len(texts)))
		}
		vectors[d.Index] = d.Embedding
	}
	vectors, err := checked(vectors, len(texts), o.dims)
	if err != nil {
		return nil, o.failed(err)
	}
	return vectors, nil
}

// numbers is a vector as a list, or as base64 of 32-bit floats.
type numbers []float32

func (n *numbers) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return json.Unmarshal(data, (*[]float32)(n))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%4 != 0 {
		return errors.New("a vector is not base64 of 32-bit numbers")
	}
	*n = make(numbers, len(raw)/4)
	for i := range *n {
		(*n)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}
