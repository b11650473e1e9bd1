package facts

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// Credential is a credential that stands in a text.
type Credential struct {
	Kind string // "github token"
	At   hook.Span
}

// recogniser finds one kind of credential. Its literals are looked for first, and
// only around them the pattern is tried. Patterns are RE2: their time is linear.
type recogniser struct {
	kind     string
	literals []string // one of them must be there; small letters
	pattern  string
	back     int                                // how many bytes before a literal a credential may begin
	entropy  float64                            // bits for each character of the first group, at least
	likely   func(low string, at, end int) bool // a cheap look at what stands around a literal
	check    func(string) bool
	re       *regexp.Regexp
}

var recognisers = sync.OnceValue(func() []*recogniser {
	all := recogniserTable()
	for _, r := range all {
		r.re = regexp.MustCompile(r.pattern)
	}
	return all
})

func recogniserTable() []*recogniser {
	key := func(kind, literals, pattern string) *recogniser {
		return &recogniser{kind: kind, literals: strings.Split(literals, " "), pattern: pattern, entropy: 3}
	}
	named := func(kind, literal, value string) *recogniser { // NAME = "value"
		return &recogniser{kind: kind, literals: []string{literal}, pattern: `(?i)` + literal + `[a-z0-9_.-]{0,24}['"]?\s{0,4}(?:=|:|=>|:=)\s{0,4}['"]?(` + value + `)\b`, entropy: 3, likely: assigned}
	}
	return []*recogniser{
		key("private key", "-----begin", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`).low(),
		key("putty key", "putty-user-key-file", `PuTTY-User-Key-File-[23]: `).low(),
		key("age key", "age-secret-key-1", `\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b`),
		key("aws access key", "akia asia abia acca", `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`),
		named("aws secret key", "aws", `[A-Za-z0-9/+]{40}`),
		key("google api key", "aiza", `\b(AIza[0-9A-Za-z_-]{35})\b`),
		key("google oauth secret", "gocspx-", `\b(GOCSPX-[0-9A-Za-z_-]{28})\b`),
		key("google oauth token", "ya29.", `\b(ya29\.[0-9A-Za-z_-]{20,})`),
		key("azure storage key", "accountkey=", `(?i)AccountKey=([A-Za-z0-9+/]{86}==)`),
		key("azure sas", "sig=", `[?&]sig=([A-Za-z0-9%/+]{43,}(?:%3D|=))`).behind(1),
		key("azure client secret", "8q~ 7q~", `\b([a-zA-Z0-9_~.]{3}[78]Q~[a-zA-Z0-9_~.-]{31,34})`).behind(4),
		key("github token", "ghp_ gho_ ghu_ ghs_ ghr_", `\b(gh[pousr]_[A-Za-z0-9]{36,251})\b`),
		key("github token", "github_pat_", `\b(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`),
		key("gitlab token", "glpat- gldt- glrt- glft- glsoat- glcbt- glimt- glagent-", `\b(gl(?:pat|dt|rt|ft|soat|cbt|imt|agent)-[0-9A-Za-z_-]{20,})`),
		key("bitbucket password", "atbb", `\b(ATBB[A-Za-z0-9]{32})\b`),
		key("atlassian token", "atatt3", `\b(ATATT3[A-Za-z0-9_=-]{180,})`),
		key("slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xapp-", `\b(x(?:ox[abeprs]|app)-[0-9A-Za-z-]{10,})`),
		key("slack webhook", "hooks.slack.com", `(https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,})`).behind(8),
		key("discord webhook", "discord", `(https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,})`).behind(16),
		named("discord bot token", "discord", `[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}`),
		key("telegram bot token", ":aa", `\b([0-9]{8,10}:AA[0-9A-Za-z_-]{33})\b`).behind(11),
		key("teams webhook", "webhook.office.com", `(https://[a-z0-9.-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{60,})`).behind(72),
		key("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", `\b((?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,})\b`),
		key("stripe webhook secret", "whsec_", `\b(whsec_[A-Za-z0-9+/=]{24,})`),
		key("paypal token", "access_token$production$", `(access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32})`),
		key("square token", "sq0atp- sq0csp- eaaa", `\b(sq0(?:atp|csp)-[0-9A-Za-z_-]{22,43}|EAAA[a-zA-Z0-9_-]{60})\b`),
		key("shopify token", "shpat_ shpca_ shppa_ shpss_", `\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b`),
		key("twilio key", "sk", `\b(SK[0-9a-f]{32})\b`),
		key("sendgrid key", "sg.", `\b(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})\b`),
		key("mailgun key", "key-", `\b(key-[0-9a-f]{32})\b`),
		key("mailchimp key", "-us", `\b([0-9a-f]{32}-us[0-9]{1,2})\b`).behind(33),
		key("postmark token", "postmark", `(?i)postmark[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`),
		key("openai key", "sk-", `\b(sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})`),
		key("anthropic key", "sk-ant-", `\b(sk-ant-(?:api|admin|oat|ort)[0-9]{2}-[A-Za-z0-9_-]{80,})`),
		key("openrouter key", "sk-or-v1-", `\b(sk-or-v1-[0-9a-f]{64})\b`),
		key("groq key", "gsk_", `\b(gsk_[A-Za-z0-9]{52})\b`),
		key("xai key", "xai-", `\b(xai-[A-Za-z0-9]{80})\b`),
		key("perplexity key", "pplx-", `\b(pplx-[A-Za-z0-9]{48})\b`),
		key("replicate token", "r8_", `\b(r8_[A-Za-z0-9]{37})\b`),
		key("hugging face token", "hf_ api_org_", `\b((?:hf|api_org)_[A-Za-z]{34})\b`),
		key("npm token", "npm_", `\b(npm_[A-Za-z0-9]{36})\b`),
		key("npm token", "_authtoken", `(?i)_authToken\s{0,3}=\s{0,3}['"]?([A-Za-z0-9-]{36})\b`),
		key("pypi token", "pypi-", `\b(pypi-AgE[A-Za-z0-9_-]{50,})`),
		key("rubygems key", "rubygems_", `\b(rubygems_[a-f0-9]{48})\b`),
		key("crates.io token", "cio", `\b(cio[A-Za-z0-9]{32})\b`),
		key("nuget key", "oy2", `\b(oy2[a-z0-9]{43})\b`),
		key("docker token", "dckr_pat_ dckr_oat_", `\b(dckr_[po]at_[A-Za-z0-9_-]{27,})`),
		key("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", `\b(do[opr]_v1_[a-f0-9]{64})\b`),
		key("heroku key", "heroku", `(?i)heroku[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`),
		key("fly token", "fo1_ fm2_", `\b(fo1_[A-Za-z0-9_-]{43}|fm2_[A-Za-z0-9+/=]{100,})`),
		key("render key", "rnd_", `\b(rnd_[A-Za-z0-9]{28,})\b`),
		key("netlify token", "nfp_", `\b(nfp_[A-Za-z0-9]{36})\b`),
		named("cloudflare token", "cloudflare", `[A-Za-z0-9_-]{40}|[0-9a-f]{37}`),
		named("datadog key", "datadog", `[0-9a-f]{32}|[0-9a-f]{40}`),
		key("new relic key", "nrak- nrii- nral", `\b(NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32})\b`),
		key("grafana token", "glsa_ glc_ eyjrijoi", `\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400}|eyJrIjoi[A-Za-z0-9+/=]{40,})`),
		key("sentry token", "sntrys_ sntryu_", `\b(sntry[su]_[A-Za-z0-9+/=_-]{40,})`),
		key("vault token", "hvs. hvb. hvr.", `\b(hv[sbr]\.[A-Za-z0-9_-]{24,})`),
		key("terraform token", ".atlasv1.", `\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})`).behind(15),
		key("pulumi token", "pul-", `\b(pul-[a-f0-9]{40})\b`),
		key("databricks token", "dapi", `\b(dapi[a-f0-9]{32}(?:-[0-9])?)\b`),
		key("snowflake token", "snowflake", `(?i)snowflake[a-z_-]{0,20}(?:password|token)['"]?\s{0,3}[=:]\s{0,3}['"]?([^\s'"]{12,})`),
		key("planetscale token", "pscale_", `\b(pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64})`),
		key("supabase key", "sbp_ sb_secret_", `\b(sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31,})`),
		key("linear key", "lin_api_ lin_oauth_", `\b(lin_(?:api|oauth)_[A-Za-z0-9]{40,64})\b`),
		key("notion token", "secret_ ntn_", `\b(secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{46})\b`),
		key("figma token", "figd_", `\b(figd_[A-Za-z0-9_-]{40,})`),
		key("airtable token", "pat", `\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b`),
		key("asana token", "asana", `(?i)asana[a-z_-]{0,20}['"]?\s{0,3}[=:]\s{0,3}['"]?([0-9]/[0-9]{16,}:[0-9a-f]{32})`),
		key("postman key", "pmak-", `\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b`),
		key("doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", `\b(dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,})`),
		key("1password token", "ops_ey", `\b(ops_eyJ[A-Za-z0-9+/=_-]{200,})`),
		key("tailscale key", "tskey-", `\b(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,})`),
		key("telegram session", "1baa", `\b(1BAA[A-Za-z0-9_-]{200,}=*)`),
		key("mongodb password", "mongodb", `mongodb(?:\+srv)?://[^\s:/@'"]+:([^\s:/@'"<>{}$*]{6,})@`).behind(0),
		key("database password", "://", `\b(?:postgres(?:ql)?|mysql|mariadb|redis|rediss|amqps?|mssql|clickhouse)://[^\s:/@'"]{0,64}:([^\s:/@'"<>{}$*]{6,})@`).low().behind(10).when(address),
		key("password in an address", "://", `\bhttps?://[^\s:/@'"]{1,64}:([^\s:/@'"<>{}$*]{8,})@`).low().behind(6).when(address),
		key("jwt", "eyj", `\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})`),
		key("kubernetes secret", "client-key-data", `client-key-data:\s+([A-Za-z0-9+/=]{100,})`),
		key("password hash", "$6$ $y$ $2b$ $2y$ $argon2", `(\$(?:6|y|2[aby]|argon2id?)\$[A-Za-z0-9./$,=+]{20,})`),
		{kind: "secret", literals: []string{"secret", "token", "passw", "api_key", "apikey", "api-key", "access_key", "private_key"}, entropy: 3.6, likely: assigned, check: notAWord,
			pattern: `(?i)(?:secret|token|passw(?:or)?d|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_.-]{0,24}['"]?\s{0,4}(?:=|:|=>|:=)\s{0,4}['"]([A-Za-z0-9+/_.~!@#%^&*-]{20,200})['"]`},
	}
}

func (r *recogniser) low() *recogniser { r.entropy = 0; return r }

func (r *recogniser) behind(n int) *recogniser { r.back = n; return r }

func (r *recogniser) when(likely func(string, int, int) bool) *recogniser {
	r.likely = likely
	return r
}

// Bounds of the search: how far a pattern is tried, and how often in all.
const (
	credentialWindow = 600
	maxTries         = 4096
)

// literalIndex finds the literals of all recognisers in one pass: each pair of bytes
// leads to the literals that begin so.
type literalIndex struct {
	starts [1 << 16]uint8 // 0 is none, else one more than the place in groups
	groups [][]literalOf
}

type literalOf struct {
	text string
	*recogniser
}

var literals = sync.OnceValue(func() *literalIndex {
	x := &literalIndex{}
	for _, r := range recognisers() {
		for _, l := range r.literals {
			pair := int(l[0])<<8 | int(l[1])
			if x.starts[pair] == 0 {
				x.groups = append(x.groups, nil)
				x.starts[pair] = uint8(len(x.groups))
			}
			g := &x.groups[x.starts[pair]-1]
			*g = append(*g, literalOf{l, r})
		}
	}
	return x
})

// Credentials finds the credentials in a text, in the order in which they stand
// there, without overlaps.
func Credentials(text string) []Credential {
	var out []Credential
	low, x, tries := asciiLower(text), literals(), 0
	for at := 0; at+1 < len(low); at++ {
		group := x.starts[int(low[at])<<8|int(low[at+1])]
		if group == 0 {
			continue
		}
		for _, l := range x.groups[group-1] {
			if !strings.HasPrefix(low[at:], l.text) || l.likely != nil && !l.likely(low, at, at+len(l.text)) {
				continue
			}
			if tries++; tries > maxTries {
				return out
			}
			out = l.find(out, text, at)
		}
	}
	slices.SortFunc(out, func(a, b Credential) int { return a.At.From - b.At.From })
	return out
}

// find adds what a pattern finds around a literal.
func (r *recogniser) find(out []Credential, text string, at int) []Credential {
	begin := max(0, at-r.back)
	window := text[begin:min(len(text), at+credentialWindow)]
	for _, m := range r.re.FindAllStringSubmatchIndex(window, 1) {
		from, to := begin+m[0], begin+m[1]
		if len(m) >= 4 && m[2] >= 0 {
			from, to = begin+m[2], begin+m[3]
		}
		found := text[from:to]
		if r.entropy > 0 && entropy(found) < r.entropy || placeholder(found) || r.check != nil && !r.check(found) {
			continue
		}
		if m[0] > r.back+64 || begin > 0 && m[0] == 0 && r.back == 0 && letter(text[begin-1]) && letter(text[begin]) {
			continue // another literal's, or the middle of a longer word
		}
		if !slices.ContainsFunc(out, func(c Credential) bool { return c.At.From < to && from < c.At.To }) {
			out = append(out, Credential{r.kind, hook.Span{From: from, To: to}})
		}
	}
	return out
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' }

// asciiLower is a text of the same length in small letters.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// assigned reports whether a name that has this literal in it is given a value: a
// sign follows, and eight characters or more that are no white space.
func assigned(low string, at, end int) bool {
	i := end
	for i < len(low) && i < end+28 && (letter(low[i]) || low[i] == '-' || low[i] == '.') {
		i++
	}
	for i < len(low) && i < end+34 && (low[i] == '"' || low[i] == '\'' || low[i] == ' ') {
		i++
	}
	if i >= len(low) || low[i] != '=' && low[i] != ':' {
		return false
	}
	for i++; i < len(low) && (low[i] == ' ' || low[i] == '=' || low[i] == '>' || low[i] == '"' || low[i] == '\''); i++ {
	}
	j := i
	for j < len(low) && j < i+8 && low[j] > ' ' && low[j] != '(' && low[j] != ',' && low[j] != ';' && low[j] != '$' {
		j++
	}
	return j == i+8
}

// address reports whether a user and a password stand in an address.
func address(low string, at, end int) bool {
	colon := false
	for i := end; i < len(low) && i < end+200; i++ {
		switch c := low[i]; {
		case c == '@':
			return colon
		case c == ':':
			colon = true
		case c <= ' ' || c == '/' || c == '"' || c == '\'':
			return false
		}
	}
	return false
}

// entropy is how many bits each character of a text has, by how often they occur.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	e := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			e -= p * math.Log2(p)
		}
	}
	return e
}

// placeholder reports whether a text only stands where a credential would.
func placeholder(s string) bool {
	low := strings.ToLower(s)
	switch low {
	case "password", "passwd", "postgres", "secret", "root", "admin", "test", "changeit", "letmein", "mysecretpassword", "hunter2", "foobar", "qwerty", "guest", "12345678", "rootpassword", "testpassword":
		return true
	}
	for _, w := range []string{"example", "xxxx", "your", "placeholder", "changeme", "redacted", "dummy", "<", "${", "{{", "process.env", "os.environ", "....", "****", "0000000000", "1234567890", "abcdef0123", "insert", "replace"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// notAWord reports whether a value looks made up by a machine: letters and digits.
func notAWord(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }) >= 0 && !strings.Contains(s, "/") && strings.Count(s, ".") < 3
}
