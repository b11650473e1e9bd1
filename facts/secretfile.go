package facts

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// secretNames are base names of files that hold credentials, and what they hold.
// An entry with a slash is a path below the home or the project.
var secretNames = map[string]string{
	".env": "environment", ".envrc": "environment", ".netrc": "password", "_netrc": "password", ".npmrc": "registry token", ".pypirc": "registry token",
	".pgpass": "password", ".my.cnf": "password", ".git-credentials": "git credentials", ".htpasswd": "password", ".dockercfg": "registry token",
	"id_rsa": "ssh key", "id_dsa": "ssh key", "id_ecdsa": "ssh key", "id_ed25519": "ssh key", "id_ecdsa_sk": "ssh key", "id_ed25519_sk": "ssh key",
	"shadow": "password", "gshadow": "password", "credentials.json": "cloud credentials", "service-account.json": "cloud credentials",
	"kubeconfig": "cluster credentials", ".vault-token": "vault token", "terraform.tfstate": "infrastructure state", ".s3cfg": "cloud credentials", ".boto": "cloud credentials",
	"wallet.dat": "wallet", "master.key": "private key", "secrets.yml": "secrets", "secrets.yaml": "secrets", "secrets.json": "secrets", "secrets.toml": "secrets", ".dev.vars": "environment",
	".yarnrc.yml": "registry token", "auth.json": "token", "wp-config.php": "password", ".rails_master_key": "private key", ".terraformrc": "cloud credentials",
}

// secretSuffixes are endings of such names.
var secretSuffixes = map[string]string{
	".pem": "private key", ".key": "private key", ".p12": "private key", ".pfx": "private key", ".jks": "private key", ".keystore": "private key", ".ppk": "ssh key",
	".kdbx": "passwords", ".ovpn": "vpn key", ".asc": "", ".p8": "private key", ".kubeconfig": "cluster credentials", ".token": "token", ".secret": "secrets",
}

// secretPaths are parts of a path below which, or at which, credentials lie.
var secretPaths = map[string]string{
	"/.config/solana": "wallet", "/.bitcoin": "wallet", "/.ethereum/keystore": "wallet", "/.config/age": "private key", "/.config/doctl": "cloud credentials", "/.config/sops": "private key",
	"/.ssh": "ssh key", "/.gnupg": "private key", "/.aws": "cloud credentials", "/.azure": "cloud credentials", "/.config/gcloud": "cloud credentials",
	"/.kube": "cluster credentials", "/.docker/config.json": "registry token", "/.config/gh": "token", "/.config/hub": "token", "/.cargo/credentials": "registry token",
	"/.cargo/credentials.toml": "registry token", "/.gem/credentials": "registry token", "/.m2/settings.xml": "registry token", "/.gradle/gradle.properties": "registry token",
	"/.local/share/keyrings": "passwords", "/Library/Keychains": "passwords", "/.password-store": "passwords",
	"/.config/rclone": "cloud credentials", "/.terraform.d/credentials.tfrc.json": "cloud credentials", "/.oci": "cloud credentials", "/.config/op": "passwords",
	"/.composer/auth.json": "registry token", "/.nuget": "", "/.databrickscfg": "token", "/.snowsql": "password", "/.codex/auth.json": "token", "/.claude/.credentials.json": "token",
	"/.claude.json": "token", "/.gemini/oauth_creds.json": "token", "/.qwen/oauth_creds.json": "token", "/.local/share/opencode/auth.json": "token", "/.config/github-copilot": "token", "/.copilot": "",
}

// browsers are folders in which browsers and mail programs have the passwords and cookies of
// their user, on all systems.
var browsers = []string{
	"/.mozilla", "/.thunderbird", "/.librewolf", "/.waterfox", "/.zen", "/.config/google-chrome", "/.config/google-chrome-beta", "/.config/chromium", "/.config/BraveSoftware", "/.config/microsoft-edge", "/.config/vivaldi", "/.config/opera", "/.config/Slack", "/.config/discord",
	"/snap/chromium/common/chromium", "/snap/brave/current", "/.var/app/com.google.Chrome/config", "/.var/app/org.chromium.Chromium/config", "/.var/app/com.brave.Browser/config", "/.var/app/com.microsoft.Edge/config", "/.var/app/org.mozilla.firefox",
	"/Library/Application Support/Google/Chrome", "/Library/Application Support/Chromium", "/Library/Application Support/BraveSoftware", "/Library/Application Support/Microsoft Edge", "/Library/Application Support/Vivaldi", "/Library/Application Support/Arc", "/Library/Application Support/com.operasoftware.Opera", "/Library/Application Support/Firefox", "/Library/Application Support/Thunderbird", "/Library/Application Support/Slack", "/Library/Cookies", "/Library/Safari", "/Library/Thunderbird",
	"/AppData/Local/Google/Chrome", "/AppData/Local/Chromium", "/AppData/Local/Microsoft/Edge", "/AppData/Local/BraveSoftware", "/AppData/Local/Vivaldi", "/AppData/Roaming/Opera Software", "/AppData/Roaming/Mozilla/Firefox", "/AppData/Roaming/Thunderbird", "/AppData/Local/Microsoft/Credentials", "/AppData/Roaming/Microsoft/Credentials", "/AppData/Local/Microsoft/Vault", "/AppData/Roaming/Microsoft/Protect",
}

// browserFiles are the files in which browsers have them. Outside of the project they are
// taken for that, wherever they lie.
var browserFiles = []string{"logins.json", "logins-backup.json", "key4.db", "key3.db", "signons.sqlite", "login data", "login data for account", "cookies.sqlite", "cookies.binarycookies", "cookies-journal"}

// publicName names that look like secrets and are none.
func publicName(base string) bool {
	for _, s := range []string{".pub", ".example", ".sample", ".template", ".dist", ".test", ".defaults", ".schema", ".md"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	switch base {
	case "known_hosts", "known_hosts.old", "authorized_keys", "config.d", "ca.pem", "cacert.pem", "fullchain.pem", "chain.pem", "cert.pem", "public.pem", "public.key", "pub.pem", "pub.key", "pubkey.pem", "pubring.kbx":
		return true
	}
	return strings.Contains(base, "cert") && strings.HasSuffix(base, ".pem") || strings.Contains(base, "public") || strings.HasPrefix(base, "ca-")
}

// secretPathsInOrder are the paths, longer ones first: they say more.
var secretPathsInOrder = sync.OnceValue(func() []string {
	for _, dir := range browsers {
		secretPaths[dir] = "browser"
	}
	return slices.SortedFunc(maps.Keys(secretPaths), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
})

// secretFile gives the kind of credential that lies at a path, or "".
func secretFile(name string, w *World) string {
	base := path.Base(name)
	if publicName(base) {
		return ""
	}
	if strings.HasPrefix(name, "/proc/") && (base == "environ" || base == "mem") {
		return "environment of a process"
	}
	if strings.HasPrefix(name, "/run/secrets/") || strings.HasPrefix(name, "/var/run/secrets/") || strings.HasPrefix(name, "/run/credentials/") { // what a container or a service is given
		return "secrets"
	}
	lower := strings.ToLower(base)
	if slices.Contains(browserFiles, lower) && w != nil && w.scope(name) != scopeProject {
		return "browser"
	}
	if kind, ok := secretNames[lower]; ok {
		return kind
	}
	for _, kind := range []string{"_rsa", "_dsa", "_ecdsa", "_ed25519"} { // deploy_rsa
		if strings.HasSuffix(lower, kind) {
			return "ssh key"
		}
	}
	if strings.HasPrefix(lower, ".env.") && !strings.ContainsAny(lower, " \t\n") {
		return "environment"
	}
	if kind := secretSuffixes[path.Ext(lower)]; kind != "" {
		return kind
	}
	for _, part := range secretPathsInOrder() {
		kind := secretPaths[part]
		if i := strings.Index(name, part); i >= 0 && kind != "" {
			if rest := name[i+len(part):]; rest == "" || rest[0] == '/' {
				return kind
			}
		}
	}
	return ""
}

// secretPattern gives the kind of credential that a pattern would match, or "".
func secretPattern(pattern string, w *World) string {
	dir, base := "", pattern
	if i := strings.LastIndexByte(pattern, '/'); i >= 0 {
		dir, base = pattern[:i], pattern[i+1:]
	}
	if strings.Trim(base, "*") == "" {
		return secretFile(dir, w) // all files of a folder: only that folder's name tells
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(secretNames)) {
		kind := secretNames[name]
		if (strings.HasPrefix(name, ".") == strings.HasPrefix(base, ".") || strings.HasPrefix(base, ".")) && matchGlob(base, name, true) && (best == "" || kind < best) {
			best = kind
		}
	}
	if best == "" {
		best = secretFile(strings.NewReplacer("*", "x", "?", "x").Replace(pattern), w)
	}
	return best
}
