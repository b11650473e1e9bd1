package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"go.yaml.in/yaml/v4"
)

// webhookSpec is a service that is told of events.
type webhookSpec struct {
	node *yaml.Node
	keys map[string]*yaml.Node
	spec hookSpec
	web  webSpec
	same int // webhooks before it at the same URL, of those without an id that are told
}

var webhookTable table[webhookSpec]

func webhookKeys() []key[webhookSpec] { return webhookTable.get(makeWebhookKeys) }

func makeWebhookKeys() []key[webhookSpec] {
	of := func(w *webhookSpec) *hookSpec { return &w.spec }
	keys := borrow(whenKeys(), of)
	for _, k := range borrow(howKeys(), of, "lane", "priority", "timeout", "max_retries", "on_failure", "queue") {
		switch k.name {
		case "lane":
			k.doc = "observe (default): it is told; guard or transform: it is asked, as a hook with http is."
		case "timeout":
			k.doc = "Time for one try of a webhook that is told; for one event with all its tries of one that is asked. Default: 30s."
		case "max_retries":
			k.doc = "Further tries. Default: for one that is told, as many as there are in three days, with pauses that grow from seconds to hours; else 0."
		case "queue":
			k.doc = "How many events it may be behind; more are dropped, and counted. Default: 256."
		}
		keys = append(keys, k)
	}
	keys = append(keys, borrow(webKeys(), func(w *webhookSpec) *webSpec { return &w.web })...)
	return append(keys, key[webhookSpec]{name: "secret_env", doc: "The variable of the environment that has the secret, in place of secret.", shape: textShape(),
		read: func(r *reader, n *yaml.Node, w *webhookSpec) {
			if name, ok := r.Variable(n, "secret_env"); ok {
				w.web.Secret = "${" + name + "}"
			}
		}})
}

// Defaults of a webhook that is told.
const (
	webhookTimeout = time.Minute
	webhookRetries = 8
	webhookQueue   = 256
)

// hook is the webhook as a hook.
func (w *webhookSpec) hook(r *reader, i int) *hookSpec {
	h := &w.spec
	h.node, h.keys = w.node, map[string]*yaml.Node{"id": w.node, "http": w.node}
	for _, name := range []string{"id", "on", "lane", "timeout", "queue", "max_retries"} {
		if n := w.keys[name]; n != nil {
			h.keys[name] = n
		}
	}
	if h.id == "" {
		h.id = fmt.Sprintf("webhook-%d", i+1)
	}
	if w.keys["url"] == nil {
		r.Fail(w.node, "write webhooks: [{url: https://example.com/hooks, on: MessageSent}]", "the webhook has no url")
	} else if w.web.URL != "" {
		r.FailErr(w.keys["url"], "http: ", w.web.Check())
	}
	if a, b := w.keys["secret"], w.keys["secret_env"]; a != nil && b != nil {
		r.Fail(b, "take one of them out", "secret and secret_env are both here")
	}
	if w.keys["lane"] == nil {
		h.lane = hook.Observe
	}
	h.handler.web = &w.web
	if h.lane != hook.Observe {
		return h
	}
	h.webhook = w.toldAs(h)
	if timeout := webhookTimeout; h.timeout == nil { // of what is told from memory
		h.timeout = &timeout
	}
	if w.keys["max_retries"] == nil {
		h.retries = webhookRetries
	}
	if h.queue == 0 {
		h.queue = webhookQueue
	}
	return h
}

// toldAs is how a webhook is told. One without an id is known by its URL: what waits
// for it must go to no other one when their order changes. Others at that URL have a
// number, too: their secrets may be different.
func (w *webhookSpec) toldAs(h *hookSpec) *webhookAs {
	as := &webhookAs{ID: h.id}
	if w.keys["id"] == nil {
		digest := sha256.Sum256([]byte(w.web.URL))
		as.ID = web.Label(w.web.URL) + "#" + hex.EncodeToString(digest[:4])
		if w.same > 0 {
			as.ID += fmt.Sprintf("-%d", w.same+1)
		}
	}
	if h.timeout != nil {
		as.Policy.Timeout = *h.timeout
	}
	if w.keys["max_retries"] != nil {
		as.Policy.Tries = h.retries + 1
	}
	return as
}

// countSame counts, for each webhook without an id that is told, those before it at the
// same URL.
func countSame(webhooks []*webhookSpec) {
	seen := map[string]int{}
	for _, w := range webhooks {
		if w.keys["id"] == nil && (w.keys["lane"] == nil || w.spec.lane == hook.Observe) {
			w.same = seen[w.web.URL]
			seen[w.web.URL]++
		}
	}
}
