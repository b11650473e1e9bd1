package facts

import (
	"net/url"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// wholes are what services call things of which each holds many others.
var wholes = []string{"namespace", "project", "stack", "cluster", "database", "bucket", "repository", "repo", "zone", "table", "collection", "keyspace", "account", "organization", "organisation", "subscription", "tenant", "vault", "dataset", "site", "app", "application", "index", "schema", "catalog", "warehouse", "pg"}

// whole reports whether words say that something is deleted that holds many others. The noun
// stands in one word with the verb, before it, or right behind it; what follows is a name.
func whole(words []string) bool {
	for i, w := range words {
		parts := strings.FieldsFunc(strings.ToLower(w), func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' })
		at := slices.IndexFunc(parts, func(p string) bool { return slices.Contains(destroying, p) || p == "reset" })
		if at < 0 {
			continue
		}
		if len(parts) > 1 { // delete-stack, apps:destroy
			rest := slices.Delete(slices.Clone(parts), at, at+1)
			return holdsMany(rest[len(rest)-1])
		}
		if i > 0 && holdsMany(strings.ToLower(words[i-1])) {
			return true
		}
		return i+2 < len(words) && holdsMany(strings.ToLower(words[i+1]))
	}
	return false
}

func holdsMany(noun string) bool {
	return slices.Contains(wholes, noun) || slices.Contains(wholes, strings.TrimSuffix(noun, "s"))
}

// restDeletes tells what a request that deletes takes away: all that lies below something
// that holds many others, a branch of a repository, or what protects one.
func (c serviceCall) restDeletes(u *url.URL, method, body string, f field, sure bool) {
	steps := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := len(steps) - 1
	if last < 0 {
		return
	}
	c.forgeAct(steps, method, body, f, sure)
	if method != "DELETE" {
		return
	}
	fact := hook.Fact{Does: "infra", System: u.Hostname(), Verb: "delete", Object: visible(strings.Join(steps, "/")), Bulk: true, At: f.at, Sure: sure}
	below, kubernetes := kubernetesPath(steps)
	loopback := hostClass(u.Hostname()) == "loopback"
	switch {
	case kubernetes: // also by kubectl proxy; a namespace, or a list without a name
		fact.System = "kubernetes"
		fact.Bulk = len(below)%2 == 1 || len(below) == 2 && slices.Contains([]string{"namespaces", "persistentvolumes", "nodes", "customresourcedefinitions"}, below[0])
		if loopback && u.Port() != "8001" {
			return
		}
	case loopback:
		return
	case u.Port() == "9200" || strings.Contains(u.Hostname(), "elastic") || strings.Contains(u.Hostname(), "opensearch"):
		if last > 0 {
			return
		}
		fact = hook.Fact{Does: "sql", Verb: "drop", Object: visible(steps[0]), Dialect: "elasticsearch", Where: "remote", At: f.at, Sure: sure}
	case last > 0 && holdsMany(strings.ToLower(steps[last-1])) && len(steps) < 8 && (provider(u.Hostname()) || strings.HasPrefix(u.Path, "/api/v4/projects/")): // GitLab lies on many hosts
	case last == 2 && steps[0] == "repos" && strings.HasPrefix(u.Hostname(), "api."): // of GitHub: /repos/OWNER/NAME
	default:
		return
	}
	c.tell(fact)
}

// providers are the domains of services that keep what others run on.
var providers = []string{"digitalocean.com", "cloudflare.com", "heroku.com", "vercel.com", "netlify.com", "fly.io", "machines.dev", "linode.com", "hetzner.cloud", "vultr.com", "scaleway.com", "amazonaws.com", "googleapis.com", "azure.com", "windows.net", "github.com", "gitlab.com", "bitbucket.org", "supabase.com", "neon.tech", "planetscale.com", "mongodb.com", "railway.app", "render.com", "terraform.io", "confluent.cloud", "elastic-cloud.com", "atlassian.com", "atlassian.net", "auth0.com", "okta.com", "sentry.io", "datadoghq.com", "ovh.com", "upcloud.com", "civo.com", "cloudamqp.com", "pinecone.io", "turso.tech", "algolia.net"}

func provider(host string) bool {
	return slices.ContainsFunc(providers, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) })
}

// kubernetesPath is what stands behind the version in a path of the API of Kubernetes.
func kubernetesPath(steps []string) ([]string, bool) {
	for n, start := range map[int]string{2: "api", 3: "apis"} {
		if len(steps) > n && steps[0] == start && slices.Contains([]string{"namespaces", "nodes", "persistentvolumes", "customresourcedefinitions", "clusterroles", "clusterrolebindings"}, steps[n]) {
			return steps[n:], true
		}
	}
	return nil, false
}

// forgeAct tells what a request to a forge would do to a branch: /repos/o/r/git/refs/heads/main,
// /repos/o/r/branches/main/protection, /projects/42/protected_branches/main.
func (c serviceCall) forgeAct(steps []string, method, body string, f field, sure bool) {
	if method == "GET" || method == "HEAD" || method == "POST" && body == "" {
		return
	}
	p := strings.Join(steps, "/")
	fact := hook.Fact{Does: "git", Verb: "push", Remote: "api", At: f.at, Sure: sure}
	if _, branch, ok := strings.Cut(p, "/git/refs/heads/"); ok {
		fact.Ref, fact.Deletes = branch, method == "DELETE"
		fact.Force = !fact.Deletes && strings.Contains(strings.ReplaceAll(body, " ", ""), `force"`+":true") || strings.Contains(body, "force=true")
		if fact.Deletes || fact.Force {
			c.tell(fact)
		}
		return
	}
	protection := strings.Contains(p, "/protection") && strings.Contains(p, "branches/") || strings.Contains(p, "/protected_branches/") || strings.Contains(p, "/rulesets/")
	plain := strings.ReplaceAll(strings.ToLower(body), " ", "")
	loosens := method == "DELETE" || slices.ContainsFunc([]string{"enforce_admins=false", `"enforce_admins":false`, "=null", ":null", "enforcement=disabled", `"enforcement":"disabled"`}, func(w string) bool { return strings.Contains(plain, w) })
	if protection && loosens {
		fact.Verb, fact.Ref = "unprotect", ""
		c.tell(fact)
	}
}
