package facts

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// ciFolders and ciNames are where services that build and test are told what to run.
var (
	ciFolders = []string{"/.github/workflows/", "/.github/actions/", "/.gitea/workflows/", "/.forgejo/workflows/", "/.gitlab/ci/", "/.circleci/", "/.azure-pipelines/", "/.buildkite/", "/.woodpecker/", "/.semaphore/", "/.teamcity/"}
	ciNames   = []string{".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".woodpecker.yml", ".cirrus.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml", "cloudbuild.yaml", "cloudbuild.yml", "buildspec.yml", "codemagic.yaml", "jenkinsfile", "action.yml", "action.yaml"}
)

// isCI reports whether a service reads the file and runs what it says.
func isCI(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.Contains(ciNames, base) || strings.HasPrefix(base, "azure-pipelines") || strings.HasPrefix(base, "jenkinsfile") ||
		slices.ContainsFunc(ciFolders, func(dir string) bool { return strings.Contains(name, dir) })
}

// scriptKeys are the keys behind which such a file has lines for a shell.
var scriptKeys = []string{"run", "script", "before_script", "after_script", "command", "commands", "bash", "sh", "install", "before_install", "after_success", "after_failure", "deploy", "build", "pre_build", "post_build", "entry", "test", "test_script", "build_script", "deploy_script"}

var (
	yamlKey    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_]+):(?:\s+(.*))?$`) })
	shOfGroovy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)\b(?:sh|bash)\s*\(?\s*(?:script:\s*)?("""(.*?)"""|'''(.*?)'''|"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')`)
	})
	expression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`) })
	azureName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\(([A-Za-z_][\w.]*)\)`) })
)

// ciScripts are the lines for a shell in a file of a service that builds.
func ciScripts(name, text string) (scripts []string) {
	if strings.HasPrefix(strings.ToLower(path.Base(name)), "jenkinsfile") {
		for _, m := range shOfGroovy().FindAllStringSubmatch(text, -1) {
			scripts = append(scripts, m[2]+m[3]+m[4]+m[5])
		}
		return scripts
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		m := yamlKey().FindStringSubmatch(strings.TrimRight(lines[i], "\r"))
		if m == nil || !slices.Contains(scriptKeys, m[2]) {
			continue
		}
		switch val := strings.TrimSpace(m[3]); {
		case val == "" || val[0] == '|' || val[0] == '>': // what stands deeper
			var block []string
			for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || indent(lines[i+1]) > len(m[1]) || val == "" && indent(lines[i+1]) == len(m[1]) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "- ")) {
				i++
				if val == "" && yamlKey().MatchString(lines[i]) && !strings.HasPrefix(strings.TrimSpace(lines[i]), "- ") { // a map, with keys of its own
					i--
					break
				}
				block = append(block, item(lines[i], val == ""))
			}
			scripts = append(scripts, strings.Join(block, "\n"))
		default:
			scripts = append(scripts, scalar(val))
		}
	}
	return scripts
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// item is a line of a block: of a list what stands behind its sign.
func item(line string, list bool) string {
	line = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(line, "- "); ok && list {
		return scalar(strings.TrimLeft(strings.TrimSpace(rest), "|>-"))
	}
	return line
}

func scalar(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		s = strings.ReplaceAll(s[1:n-1], `\"`, `"`)
	}
	return s
}

// buildService is where such lines run.
const buildService = "service"

// ciSecret begins the source of a text that is a secret of such a service.
const ciSecret = "ci:"

// builds tells of what a service would do that reads this text: only that it sends a secret, and
// what it fetches and runs for a change that anybody may propose. All else is its work.
func (sh *shell) builds(name, src string) {
	if len(src) > maxText {
		sh.unread(hook.Span{}, "the file of a service that builds is too long to be read")
		return
	}
	old, before, full := sh.st, len(sh.out), sh.full
	sh.st = old.clone()
	sh.st.remote = buildService
	b := ciFile{shell: sh, names: map[string]string{}}
	for line := range strings.Lines(src) { // TOKEN: ${{ secrets.X }}
		if key, val, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && len(key) < 64 && !strings.ContainsAny(key, " -\"'") {
			if m := expression().FindStringSubmatch(val); m != nil {
				b.names[m[1]] = key
				sh.st.set(key, expressed(m[1]))
			}
		}
	}
	for i, script := range ciScripts(name, src) {
		if i >= maxScripts || len(b.names) > maxScripts {
			b.more = true
			break
		}
		sh.inner(b.script(name, script), hook.Span{}, nil, nil, true)
	}
	sh.st = old
	sh.sendsOnly(before, strings.Contains(src, "pull_request_target"))
	if b.more || sh.full && !full {
		sh.unread(hook.Span{}, "the file of a service that builds does too much to be read to its end")
	}
}

// maxScripts bounds the scripts of a file that are read, and what they are given.
const maxScripts = 256

// ciFile is a file of a service that builds, with the names under which what it fills in is kept.
type ciFile struct {
	*shell
	names map[string]string
	more  bool // some of it was not read
}

// script is a script with variables in place of what the service fills in.
func (b *ciFile) script(name, script string) string {
	script = expression().ReplaceAllStringFunc(script, func(s string) string {
		inner := expression().FindStringSubmatch(s)[1]
		return b.given(inner, expressed(inner))
	})
	if strings.Contains(strings.ToLower(name), "azure") {
		script = azureName().ReplaceAllStringFunc(script, func(s string) string {
			inner := azureName().FindStringSubmatch(s)[1]
			return b.given("$"+inner, anything(ciSecret+inner))
		})
	}
	return script
}

// given is the variable that stands for what the service fills in: one for each.
func (b *ciFile) given(what string, vs values) string {
	key, ok := b.names[what]
	if !ok {
		if len(b.names) > maxScripts {
			b.more = true
			return ""
		}
		key = "HOOKWAY_GIVEN_" + strconv.Itoa(len(b.names))
		b.names[what] = key
		b.st.set(key, vs)
	}
	return "${" + key + "}"
}

// sendsOnly keeps of the facts behind the first ones that a secret is sent, and for a change that
// anybody may propose what is fetched and run.
func (sh *shell) sendsOnly(before int, anybody bool) {
	kept := sh.out[:before]
	for _, f := range sh.out[before:] {
		sends := false
		for i, s := range f.Sends {
			if secret, ok := strings.CutPrefix(s, ciSecret); ok {
				f.Sends = slices.Clone(f.Sends)
				f.Sends[i], sends = "secret:"+secret, true
			}
			sends = sends || strings.HasPrefix(s, "env:") || strings.HasPrefix(s, "secret:")
		}
		if f.Does == "connect" && sends || f.Does == "execute" && f.From == "download" && anybody {
			kept = append(kept, f)
		}
	}
	sh.out = kept
}

// expressed is the value of an expression: of a secret, where it comes from.
func expressed(s string) values {
	if _, rest, ok := strings.Cut(s, "secrets"); ok {
		return anything(ciSecret + strings.Trim(rest, ".[]()'\" "))
	}
	return anything()
}

// hooksIn are the lines for a shell in a file of a manager of git's hooks.
func (sh *shell) hooksIn(name, text string) []string {
	if len(text) > maxText {
		sh.unread(hook.Span{}, "a file of hooks is too long to be read")
		return nil
	}
	return ciScripts(name, text)
}

// startsWithFolder gives the lines that an editor runs when the folder is opened.
func startsWithFolder(name, text string) (lines []string) {
	if strings.HasSuffix(name, "/devcontainer.json") {
		var m map[string]any
		if json.Unmarshal([]byte(text), &m) != nil {
			return nil
		}
		for _, key := range []string{"initializeCommand", "onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand", "postAttachCommand"} {
			if line, ok := m[key].(string); ok {
				lines = append(lines, line)
			}
		}
		return lines
	}
	var m struct {
		Tasks []struct {
			Command    string   `json:"command"`
			Args       []string `json:"args"`
			RunOptions struct {
				RunOn string `json:"runOn"`
			} `json:"runOptions"`
		} `json:"tasks"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	for _, t := range m.Tasks {
		if t.RunOptions.RunOn == "folderOpen" {
			line := t.Command
			for _, a := range t.Args {
				line += " " + quote(a)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
