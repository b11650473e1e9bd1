package hook

import (
	"fmt"
	"slices"
	"strings"
)

// vocabulary is what a text in facts may be.
type vocabulary struct {
	words []string
	open  bool // there are others too: only what is nearly one of the words is a slip of the pen
}

// What hookway's analyser says in facts. A test holds it against package facts, which
// this package must not import: whoever embeds the engine alone takes no analyser with
// it. A rule that names a word which no fact can have would never hold, and nobody would
// notice, so that is a mistake when the rule is read.
var (
	gitVerbs = strings.Fields(`
	abandon add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore
	check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit
	commit-graph commit-tree config count-objects credential daemon describe diff diff-files diff-index diff-tree
	difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg for-each-ref
	for-each-repo format-patch fsck gc grep gui hash-object help hook index-pack init interpret-trailers lfs log
	ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree
	multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff
	read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm
	send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status
	stripspace submodule svn switch symbolic-ref tag unpack-objects update update-index update-ref var
	verify-commit verify-pack verify-tag version whatchanged worktree write-tree`)
	gitActsOf = []string{"force", "deletes", "uncommitted"}
	sqlVerbs  = strings.Fields(`
	alter attach call copy create delete detach drop exec execute export flush grant insert kill load merge optimize
	purge reindex rename replace reset restore revoke select shutdown truncate update vacuum`)
	infraSystems = strings.Fields(`
	ansible aws azure deploy docker elasticsearch gcp github gitlab helm kafka kubernetes minio pulumi rclone terraform`)
	infraVerbs = strings.Fields(`
	apply cp delete down drain exec forward get login mount mount-socket plan privileged prune run state stop`)
	scopes      = []string{"", "project", "worktree", "temp", "home", "system", "other", "root"}
	networks    = []string{"loopback", "private", "metadata", "public"}
	sources     = []string{"file", "env", "secret", "stdin", "commits", "net", "decoded", "pids"}
	credentials = strings.Split(strings.Join(strings.Fields(`
	1password token, adafruit key, age key, airtable token, aiven password, algolia key, alibaba key, anthropic
	key, api key, artifactory key, asana token, atlassian token, aws access key, aws bedrock key, aws secret key,
	azure client secret, azure devops token, azure sas, azure shared key, azure storage key, basic credentials,
	bearer token, bitbucket password, brevo key, buildkite token, circleci token, cloudflare key, cloudflare token,
	cloudinary secret, cohere key, contentful token, crates.io token, database password, databricks token, datadog
	key, deepseek key, digitalocean token, discord bot token, discord webhook, django secret key, docker token,
	doppler token, dropbox token, duffel token, dynatrace token, easypost key, elevenlabs key, extended private
	key, facebook token, figma token, fireworks key, flask secret key, flutterwave key, fly token, gitea token,
	github token, gitlab token, google api key, google oauth secret, google oauth token, google refresh token,
	grafana token, groq key, heroku key, hubspot token, hugging face token, jwt, kubernetes secret, langsmith key,
	laravel key, launchdarkly key, linear key, mailchimp key, mailgun key, mapbox token, mistral key, mongodb
	password, neon key, netlify token, netrc password, new relic key, ngrok token, notion token, npm token, nuget
	key, nvidia key, okta token, openai key, openrouter key, password hash, password in an address, password of a
	command, paypal token, perplexity key, pinecone key, plaid token, planetscale token, postman key, postmark
	token, prefect key, private key, pulumi token, putty key, pypi token, razorpay secret, readme key, render key,
	replicate token, resend key, rubygems key, secret, seed phrase, sendgrid key, sentry token, shippo token,
	shopify token, slack token, slack webhook, snowflake token, snyk token, sonar token, square token, stripe key,
	stripe webhook secret, supabase key, tailscale key, teams webhook, telegram bot token, telegram session,
	tencent key, terraform token, token in an address, twilio key, twilio token, typeform token, vault token,
	vercel token, wandb key, wireguard key, wordpress key, xai key, yandex key`), " "), ", ")
)

// memberWords are the members of a fact that have few words, by their names in JSON.
var memberWords = map[string]vocabulary{
	"does":   {words: strings.Fields("run read write delete move connect execute git sql infra package system self secret unknown")},
	"scope":  {words: scopes},
	"class":  {words: append([]string{""}, networks...)},
	"from":   {words: []string{"", "download", "file", "stdin", "decoded"}},
	"where":  {words: append([]string{"local", "test", "remote", "unknown"}, scopes...)}, // of a move it is a scope
	"kind":   {words: append([]string{""}, credentials...)},
	"system": {words: infraSystems, open: true},
	"verb":   {words: slices.Concat(gitVerbs, sqlVerbs, infraVerbs, []string{"install", "publish", "remove", "write"}), open: true},
}

// keyWords are the words of patterns that facts are matched with, in their order.
var keyWords = map[string][]vocabulary{
	"git":   {{slices.Concat(gitActsOf, gitVerbs), true}, {gitActsOf, true}},
	"sql":   {{sqlVerbs, false}},
	"infra": {{infraSystems, true}, {infraVerbs, false}},
}

// CheckFactWord reports a text that a member of a fact, by its name in JSON, never is, and
// says what may have been meant. It knows the words of hookway's own analyser. Members of
// which the texts are anybody's, such as paths and programs, have no such words. A rule with
// such a text would hold for nothing, and nobody would notice: so a configuration that has
// one is not taken.
func CheckFactWord(member, text string) error {
	v, ok := memberWords[member]
	if !ok {
		return nil
	}
	return v.check("no fact has "+member, text)
}

// check reports a word that is none of the vocabulary's. said begins the message.
func (v vocabulary) check(said, word string) error {
	switch {
	case slices.Contains(v.words, word):
		return nil
	case !v.open:
		return fmt.Errorf("%s %q; %s", said, word, Meant(word, v.words))
	}
	if meant := v.slip(word); meant != "" {
		return fmt.Errorf("%s %q; did you mean %s?", said, word, meant)
	}
	return nil
}

// slip is the word that was nearly written where any text may stand, or "".
func (v vocabulary) slip(word string) string {
	meant := NearestWithin(len(word)/3, word, v.words)
	if len(word) < 4 || meant == "" || meant[0] != word[0] || strings.HasPrefix(word, meant) && len(word) > len(meant)+1 {
		return ""
	}
	return meant
}

// Meant says what was meant by a word that is none of some, as "did you mean push?", or
// what there is; of many, those that begin with the same word.
func Meant(word string, known []string) string {
	const many = 60
	known = slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == "" })
	if first, _, more := strings.Cut(strings.ToLower(word), " "); more && len(known) > many {
		if like := slices.DeleteFunc(slices.Clone(known), func(s string) bool { return !strings.HasPrefix(s, first+" ") }); len(like) > 0 {
			known = like
		}
	}
	if near := Nearest(word, known); near != "" && len(word) > 1 && strings.EqualFold(near[:1], word[:1]) {
		return "did you mean " + near + "?"
	}
	if len(known) > many {
		return "the documentation has the words"
	}
	return "there are " + strings.Join(known, ", ")
}

// begins reports whether any word begins so: what a glob has before its first sign.
func (v vocabulary) begins(start string) bool {
	return slices.ContainsFunc(v.words, func(w string) bool { return strings.HasPrefix(w, start) })
}

// checkPattern reports a pattern of a key that holds for no fact, because a word in it is
// one that facts do not have there. Of globs only what stands before their first sign says
// anything, since a star also takes spaces.
func checkPattern(key, pattern string) error {
	if strings.ContainsAny(pattern, `{[\`) {
		return nil
	}
	if key == "secret" {
		return vocabulary{words: credentials}.checkGlob("secret: no credential is called", pattern)
	}
	for i, word := range strings.Fields(pattern) {
		if i == len(keyWords[key]) {
			break
		}
		v := keyWords[key][i]
		if key == "infra" && i == 0 && slices.Contains(infraVerbs, word) {
			return fmt.Errorf("infra %q: the system comes first; write %q", pattern, "* "+pattern)
		}
		if err := v.checkGlob(fmt.Sprintf("%s: no fact has", key), word); err != nil {
			return err
		}
		if strings.Contains(word, "*") {
			break
		}
	}
	return nil
}

// checkGlob is check of a word that may be a glob.
func (v vocabulary) checkGlob(said, word string) error {
	at := strings.IndexAny(word, "*?")
	switch {
	case at < 0:
		return v.check(said, word)
	case v.open || v.begins(word[:at]):
		return nil
	}
	return fmt.Errorf("%s %q; %s", said, word, Meant(word, v.words))
}

// checkHost reports a host that is nearly a kind of network.
func checkHost(pattern string) error {
	if len(pattern) < 5 || strings.IndexFunc(pattern, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 || slices.Contains(networks, pattern) {
		return nil
	}
	if meant := NearestWithin(1, pattern, networks); meant != "" {
		return fmt.Errorf("connects %q; did you mean %s?", pattern, meant)
	}
	return nil
}

// checkSent reports what a connection never sends: most that is sent has its kind in front.
func checkSent(pattern string) error {
	kind, _, named := strings.Cut(pattern, ":")
	if strings.ContainsAny(kind, `*?{[\`) {
		return nil
	}
	v := vocabulary{words: sources, open: true}
	if err := v.check("sends: nothing that is sent is called", kind); err != nil {
		return err
	}
	if !named && slices.Contains([]string{"file", "env", "secret", "net"}, kind) {
		return fmt.Errorf("sends %q: say which; %q is any", pattern, kind+":*")
	}
	return nil
}
