package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/loopback"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// Words of approvals.
const (
	HoldAuto   = "auto"   // a call is held where nobody can be asked in place, and its agent really waits
	HoldAlways = "always" // and where somebody could be asked, too
	HoldNever  = "never"

	requirePIN = "pin"
)

// DefaultApprovalTimeout is how long an ask waits for an answer.
const DefaultApprovalTimeout = 5 * time.Minute

// Approvals say how an ask reaches a person. They are the user's and the
// administrator's to say.
type Approvals struct {
	Hold     string        // HoldAuto, HoldAlways or HoldNever
	Timeout  time.Duration // of an ask
	PIN      bool          // an answer in a terminal needs one
	Unread   string        // a file that may say more, and does not count as it stands; "" if there is none
	Channels []ApprovalChannel
}

// ApprovalChannel is a way to a person; either Ntfy or Webhook is set. Files are
// absolute paths.
type ApprovalChannel struct {
	Name    string // unique
	Layer   string // LayerManaged or LayerUser
	Ntfy    *ApprovalNtfy
	Webhook *ApprovalWebhook
}

// ApprovalNtfy is a topic of an ntfy server.
type ApprovalNtfy struct {
	URL     string // of the server
	Topic   string // gets the cards
	Answers string // another topic, to which their buttons publish

	TokenEnv, TokenFile             string // has what hookway shows the server; both may be ""
	AnswerTokenEnv, AnswerTokenFile string // has what the buttons show it
}

// ApprovalWebhook is a service that is told, and answers at the gateway.
type ApprovalWebhook struct {
	URL          string
	Answers      string // the name below /hooks/ where it answers; "": it does not
	SecretEnv    string // has the secret of both directions, or
	SecretFile   string
	Headers      map[string]string
	AllowPrivate bool
}

// approvalsSpec is "approvals" as it is written.
type approvalsSpec struct {
	node     *yaml.Node
	hold     string
	timeout  *time.Duration
	pin      bool
	channels []ApprovalChannel
	at       []*yaml.Node // of the channels
}

var (
	approvalsTable  table[approvalsSpec]
	channelTable    table[ApprovalChannel]
	ntfyTable       table[ApprovalNtfy]
	approvalWebhook table[ApprovalWebhook]
)

func approvalsKeys() []key[approvalsSpec] { return approvalsTable.get(makeApprovalsKeys) }

func channelKeys() []key[ApprovalChannel] { return channelTable.get(makeChannelKeys) }

func ntfyKeys() []key[ApprovalNtfy] { return ntfyTable.get(makeNtfyKeys) }

func approvalWebhookKeys() []key[ApprovalWebhook] {
	return approvalWebhook.get(makeApprovalWebhookKeys)
}

func makeApprovalsKeys() []key[approvalsSpec] {
	return []key[approvalsSpec]{
		choiceKey("hold", "Whether a call waits for its answer: auto (default: where nobody can be asked in place and the agent really waits), always or never.",
			[]string{HoldAuto, HoldAlways, HoldNever}, func(a *approvalsSpec, word string) { a.hold = word }),
		{name: "timeout", doc: "How long an ask waits for an answer; then ask_fallback decides. Default: 5m.", shape: durationShape(),
			read: func(r *reader, n *yaml.Node, a *approvalsSpec) {
				d, ok := r.Duration(n, "timeout", maxApprovalTimeout)
				if a.timeout = &d; ok && d == 0 {
					r.Fail(n, "write 5m", "timeout must be more than 0: an ask does not wait for ever")
				}
			}},
		choiceKey("require", "pin: whoever answers in a terminal types a PIN, too; hookway approvals pin sets it.", []string{requirePIN}, func(a *approvalsSpec, _ string) { a.pin = true }),
		{name: "channels", doc: "Where asks are told, and from where they may be answered, besides a terminal.", shape: listShape(refShape("approval_channel")), read: readChannelList},
	}
}

// maxApprovalTimeout is against slips of the pen.
const maxApprovalTimeout = 24 * time.Hour

func makeChannelKeys() []key[ApprovalChannel] {
	return []key[ApprovalChannel]{
		nameKey("name", "What the channel is called in records and in doctor. Default: ntfy or webhook.", func(c *ApprovalChannel) *string { return &c.Name }),
		{name: "ntfy", doc: "A topic of an ntfy server, which gets a card with buttons for each ask.", shape: refShape("approval_ntfy"), read: readNtfy},
		{name: "webhook", doc: "A service that is told of each ask, signed as Standard Webhooks do.", shape: refShape("approval_webhook"), read: readApprovalWebhook},
	}
}

func makeNtfyKeys() []key[ApprovalNtfy] {
	return []key[ApprovalNtfy]{
		textKey("url", "The server, as https://ntfy.sh.", func(c *ApprovalNtfy) *string { return &c.URL }),
		topicKey("topic", "The topic that gets the cards. Without access control, its name is the password: choose one that nobody guesses.", func(c *ApprovalNtfy) *string { return &c.Topic }),
		topicKey("answers", "The topic to which the buttons publish. Default: the other one with -answers behind it.", func(c *ApprovalNtfy) *string { return &c.Answers }),
		variableKey("token_env", "The variable of the daemon's environment that has the access token.", func(c *ApprovalNtfy) *string { return &c.TokenEnv }),
		textKey("token_file", "The file that has the access token, from the folder of this file. Only its owner may read it.", func(c *ApprovalNtfy) *string { return &c.TokenFile }),
		variableKey("answer_token_env", "The variable that has the token of the buttons, which stands in each card: let it write to answers, and do nothing else.", func(c *ApprovalNtfy) *string { return &c.AnswerTokenEnv }),
		textKey("answer_token_file", "The file that has the token of the buttons.", func(c *ApprovalNtfy) *string { return &c.AnswerTokenFile }),
	}
}

func makeApprovalWebhookKeys() []key[ApprovalWebhook] {
	return []key[ApprovalWebhook]{
		textKey("url", "Where asks are sent with POST: https or http.", func(c *ApprovalWebhook) *string { return &c.URL }),
		{name: "answers", doc: "The service may answer with POST /hooks/NAME, signed with the same secret. Default: it is only told.", shape: schema{"type": "string", "pattern": mappingName},
			read: func(r *reader, n *yaml.Node, c *ApprovalWebhook) {
				if c.Answers, _ = r.Text(n, "answers"); c.Answers != "" && !isMappingName(c.Answers) {
					r.Fail(n, "use up to 64 letters, digits, '-', '_' and '.'; it is the end of the URL", "answers: %q is not the name of a hook of the gateway", strict.Clip(c.Answers))
				}
			}},
		variableKey("secret_env", "The variable of the daemon's environment that has the secret: whsec_ and base64.", func(c *ApprovalWebhook) *string { return &c.SecretEnv }),
		textKey("secret_file", "The file that has the secret, from the folder of this file. Only its owner may read it.", func(c *ApprovalWebhook) *string { return &c.SecretFile }),
		{name: "headers", doc: "Headers of each request; ${NAME} in a value stands for a variable of the environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}},
			read:  func(r *reader, n *yaml.Node, c *ApprovalWebhook) { c.Headers = readHeaders(r, n, "Authorization") }},
		boolKey("allow_private", "true permits addresses inside the machine's own network: loopback, link-local, private. Default: false.", func(c *ApprovalWebhook) *bool { return &c.AllowPrivate }),
	}
}

// topicPattern is what ntfy takes as a topic.
const topicPattern = `^[-_A-Za-z0-9]{1,64}$`

func topicKey(name, doc string, at func(*ApprovalNtfy) *string) key[ApprovalNtfy] {
	return valueKey(name, doc, schema{"type": "string", "pattern": topicPattern}, func(r *reader, n *yaml.Node) (string, bool) {
		topic, ok := r.Text(n, name)
		if ok && (len(topic) > 64 || strings.Trim(topic, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "") {
			r.Fail(n, "use up to 64 letters, digits, '-' and '_'", "%s: ntfy takes no topic of this name", name) // it may be a secret
			return "", false
		}
		return topic, ok
	}, at)
}

// readChannelList reads the channels, which must have different names.
func readChannelList(r *reader, n *yaml.Node, a *approvalsSpec) {
	list(r, n, "channels", func(_ int, item *yaml.Node) {
		c := ApprovalChannel{}
		keys := object(r, item, "a channel", channelKeys(), &c)
		switch {
		case keys == nil:
			return
		case (keys["ntfy"] == nil) == (keys["webhook"] == nil):
			r.Fail(item, "write {ntfy: {…}} or {webhook: {…}}", "a channel is either ntfy or webhook")
			return
		case c.Name == "" && c.Ntfy != nil:
			c.Name = "ntfy"
		case c.Name == "":
			c.Name = "webhook"
		}
		if slices.ContainsFunc(a.channels, func(other ApprovalChannel) bool { return other.Name == c.Name }) {
			r.Fail(item, "give one of them another name:", "two channels are called %q", strict.Clip(c.Name))
			return
		}
		a.channels, a.at = append(a.channels, c), append(a.at, item)
	})
}

func readNtfy(r *reader, n *yaml.Node, c *ApprovalChannel) {
	c.Ntfy = &ApprovalNtfy{}
	before := len(r.Problems)
	keys := object(r, n, "ntfy", ntfyKeys(), c.Ntfy)
	if keys == nil || len(r.Problems) > before {
		return
	}
	const example = "write ntfy: {url: https://ntfy.sh, topic: a-name-that-nobody-guesses}"
	switch u, err := url.Parse(c.Ntfy.URL); {
	case keys["url"] == nil:
		r.Fail(n, example, "ntfy has no url")
	case keys["topic"] == nil:
		r.Fail(n, example, "ntfy has no topic")
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "":
		r.Fail(keys["url"], "write url: https://ntfy.sh", "url: this is not the address of a server") // it may hold a password
	case u.User != nil:
		r.Fail(keys["url"], "put an access token into token_file", "url: there is a user or a password in it")
	case u.Scheme == "http" && !loopback.Host(u.Hostname()):
		r.Fail(keys["url"], "write https://"+u.Host, "asks and answers would go to %s in the clear", strict.Clip(u.Host))
	}
	if c.Ntfy.Answers == "" {
		c.Ntfy.Answers = c.Ntfy.Topic[:min(len(c.Ntfy.Topic), 64-len("-answers"))] + "-answers"
	}
	if c.Ntfy.Answers == c.Ntfy.Topic {
		r.Fail(n, "leave answers out, or name another topic", "topic and answers are the same: who reads the asks would read the answers")
	}
	oneSecret(r, keys, "token_file", "token_env")
	oneSecret(r, keys, "answer_token_file", "answer_token_env")
}

func readApprovalWebhook(r *reader, n *yaml.Node, c *ApprovalChannel) {
	c.Webhook = &ApprovalWebhook{}
	before := len(r.Problems)
	keys := object(r, n, "webhook", approvalWebhookKeys(), c.Webhook)
	if keys == nil || len(r.Problems) > before {
		return
	}
	if keys["url"] == nil {
		r.Fail(n, "write webhook: {url: https://example.com/asks, secret_file: asks.secret}", "the webhook has no url")
	} else {
		r.FailErr(keys["url"], "webhook: ", (&web.Config{URL: c.Webhook.URL, Headers: c.Webhook.Headers}).Check())
	}
	if keys["secret_file"] == nil && keys["secret_env"] == nil {
		r.Fail(n, "name its file with secret_file, or its variable with secret_env", "the webhook has no secret: its asks carry what answers them")
	}
	oneSecret(r, keys, "secret_file", "secret_env")
}

// oneSecret wants a secret to be in one place.
func oneSecret(r *reader, keys map[string]*yaml.Node, file, env string) {
	if keys[file] != nil && keys[env] != nil {
		r.Fail(keys[env], "take one of them out", "%s and %s are both here", file, env)
	}
}

// take lays what a layer says over what was there. What an administrator says of hold
// and timeout comes first; a PIN and channels add up.
func (a *Approvals) take(s *approvalsSpec, layer, dir string, above *approvalsSpec) {
	if s == nil {
		return
	}
	if s.hold != "" && (above == nil || above.hold == "") {
		a.Hold = s.hold
	}
	if s.timeout != nil && (above == nil || above.timeout == nil) {
		a.Timeout = *s.timeout
	}
	a.PIN = a.PIN || s.pin
	for _, c := range s.channels {
		c.Layer = layer
		if slices.ContainsFunc(a.Channels, func(other ApprovalChannel) bool { return other.Name == c.Name }) {
			c.Name = layer + "/" + c.Name
		}
		a.Channels = append(a.Channels, c.under(dir))
	}
}

// under is the channel with its files found from a folder.
func (c ApprovalChannel) under(dir string) ApprovalChannel {
	file := func(path *string) {
		if *path != "" {
			*path = shell.Under(dir, *path)
		}
	}
	if c.Ntfy != nil {
		own := *c.Ntfy
		file(&own.TokenFile)
		file(&own.AnswerTokenFile)
		c.Ntfy = &own
	}
	if c.Webhook != nil {
		own := *c.Webhook
		file(&own.SecretFile)
		c.Webhook = &own
	}
	return c
}

// answerHooks has the gateway take the answers of services that are told.
func (l *load) answerHooks() {
	for _, c := range l.set.Approvals.Channels {
		if c.Webhook == nil || c.Webhook.Answers == "" {
			continue
		}
		if l.set.Gateway == nil {
			l.set.Gateway = &gateway.Config{}
		}
		if l.set.Gateway.Hooks == nil {
			l.set.Gateway.Hooks = map[string]*gateway.Mapping{}
		}
		name := c.Webhook.Answers
		if l.set.Gateway.Hooks[name] != nil {
			l.set.Problems = append(l.set.Problems, Problem{File: filepath.Join(l.userDir, fileName), Message: fmt.Sprintf("the channel %q answers at /hooks/%s, which is taken", c.Name, name), Hint: "write answers: with another name"})
			continue
		}
		l.set.Gateway.Hooks[name] = &gateway.Mapping{
			Name: name, Channel: c.Name, Auth: gateway.Auth{Scheme: gateway.Standard, SecretEnv: c.Webhook.SecretEnv, SecretFile: c.Webhook.SecretFile},
			MaxBody: mostAnswer, PerMinute: gateway.DefaultPerMinute, Burst: gateway.DefaultBurst, Timeout: answerTime,
		}
	}
}

// Bounds of an answer at the gateway.
const (
	mostAnswer = 16 << 10
	answerTime = 10 * time.Second
)
