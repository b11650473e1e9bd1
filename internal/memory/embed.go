package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Embedder turns texts into vectors: texts that mean much the same get vectors that
// point much the same way. It gives one vector for each text, all of one length,
// none of them empty. It may be called from any goroutine.
type Embedder interface {
	// Embed embeds questions, or else what may answer one: some models want to know.
	Embed(ctx context.Context, texts []string, query bool) ([][]float32, error)
}

// Space is what vectors are of. Vectors of different spaces are never compared.
type Space struct {
	Model  string
	Dims   int  // 0: what the model gives
	Prefix bool // questions and answers have different prefixes for it
}

// Embedding is the configuration of an embedder. The zero Embedding is none.
type Embedding struct {
	Provider string        // ollama, or openai for every server that speaks like it
	Model    string        // nomic-embed-text, text-embedding-3-small
	URL      string        // http://127.0.0.1:11434, https://api.openai.com/v1
	Dims     int           // 0: what the model gives
	Prefix   *bool         // nil: as the model wants it
	Key      string        // never logged, and never in an error
	Timeout  time.Duration // of a question that a search waits for; 0: 3 s
}

// Bounds of what is asked of an embedder, and of what it may answer.
const (
	maxDims        = 8192
	maxEmbedded    = 6 << 10 // bytes of one text: about what nomic-embed-text reads
	batchTexts     = 32
	batchBytes     = 32 << 10
	maxAnswer      = 32 << 20
	questionTime   = 3 * time.Second // of a search that waits
	batchTime      = 2 * time.Minute // of a batch without a caller that waits
	ollamaModel    = "nomic-embed-text"
	ollamaURL      = "http://127.0.0.1:11434"
	openAIModel    = "text-embedding-3-small"
	openAIURL      = "https://api.openai.com/v1"
	ollamaKeepLive = "15m" // how long the model stays loaded after a question
)

// Open checks the configuration and makes the embedder. It makes no request yet.
func (e Embedding) Open() (Embedder, Space, error) {
	model, at := e.Model, e.URL
	switch e.Provider {
	case "ollama":
		model, at = orElse(model, ollamaModel), orElse(at, ollamaURL)
	case "openai":
		model, at = orElse(model, openAIModel), orElse(at, openAIURL)
	case "":
		return nil, Space{}, errors.New("the embedder has no provider; use ollama or openai")
	default:
		return nil, Space{}, fmt.Errorf("unknown provider of embeddings %q; use ollama, or openai for every server that speaks like it", e.Provider)
	}
	if e.Dims < 0 || e.Dims > maxDims {
		return nil, Space{}, fmt.Errorf("the embedder's dims are %d; use 1 to %d, or 0 for what the model gives", e.Dims, maxDims)
	}
	if !strings.Contains(at, "://") { // as in OLLAMA_HOST
		at = "http://" + at
	}
	base, err := url.Parse(at)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, Space{}, fmt.Errorf("the embedder's url %q is not an http or https URL", redacted(base, at))
	}
	query, document := prefixes(model)
	prefix := query != ""
	if e.Prefix != nil {
		prefix = *e.Prefix
	}
	switch {
	case !prefix:
		query, document = "", ""
	case query == "": // wanted, for a model that we do not know
		query, document = prefixes(ollamaModel)
	}
	c := &caller{base: base, key: e.Key, model: model, dims: e.Dims, query: query, document: document, timeout: e.Timeout}
	if c.timeout <= 0 {
		c.timeout = questionTime
	}
	space := Space{Model: model, Dims: e.Dims, Prefix: prefix}
	if e.Provider == "openai" {
		return openAI{c}, space, nil
	}
	return ollama{c}, space, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// redacted is a URL without its password; one that cannot be read is not shown
// at all.
func redacted(u *url.URL, text string) string {
	switch {
	case u != nil:
		return u.Redacted()
	case strings.Contains(text, "@"):
		return "…"
	}
	return text
}

// prefixes are what a model wants before questions and before texts.
func prefixes(model string) (query, document string) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	switch {
	case strings.HasPrefix(name, "nomic-embed"):
		return "search_query: ", "search_document: "
	case strings.HasPrefix(name, "e5-"), strings.HasPrefix(name, "multilingual-e5"):
		return "query: ", "passage: "
	case strings.HasPrefix(name, "mxbai-embed"), strings.HasPrefix(name, "snowflake-arctic-embed"):
		return "Represent this sentence for searching relevant passages: ", ""
	}
	return "", ""
}

// checked looks at what an embedder gave for n texts, and makes each vector one
// long. Servers that do not know how to shorten get it done here, as others do it.
func checked(vectors [][]float32, n, dims int) ([][]float32, error) {
	if len(vectors) != n {
		return nil, fmt.Errorf("it gave %d vectors for %d texts", len(vectors), n)
	}
	out := make([][]float32, n)
	for i, v := range vectors {
		if dims > 0 && len(v) > dims {
			v = v[:dims]
		}
		switch {
		case len(v) == 0 || len(v) > maxDims:
			return nil, fmt.Errorf("it gave a vector of %d dims; 1 to %d can be kept", len(v), maxDims)
		case dims > 0 && len(v) != dims:
			return nil, fmt.Errorf("it gave vectors of %d dims, and dims: %d is configured; take the line out, or name another model", len(v), dims)
		case len(v) != len(out[0]) && i > 0:
			return nil, fmt.Errorf("it gave vectors of %d and of %d dims", len(out[0]), len(v))
		}
		var err error
		if out[i], err = unit(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unit makes a vector one long.
func unit(v []float32) ([]float32, error) {
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) || sum < 1e-30 {
		return nil, errors.New("it gave a vector with numbers that are none, or without any direction")
	}
	v = slices.Clone(v)
	by := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= by
	}
	return v, nil
}
