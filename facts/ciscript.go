package facts

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

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
	yamlKey    = regexp.MustCompile(`^(\s*(?:- +)?)([A-Za-z_]+):(?:\s+(.*))?$`)
	shOfGroovy = regexp.MustCompile(`(?s)\b(?:sh|bash)\s*\(?\s*(?:script:\s*)?("""(.*?)"""|'''(.*?)'''|"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')`)
	expression = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)
	azureName  = regexp.MustCompile(`\$\(([A-Za-z_][\w.]*)\)`)
)

// ciScripts are the lines for a shell in a file of a service that builds.
func ciScripts(name, text string) (scripts []string) {
	if strings.HasPrefix(strings.ToLower(path.Base(name)), "jenkinsfile") {
		for _, m := range shOfGroovy.FindAllStringSubmatch(text, maxLoops) {
			scripts = append(scripts, m[2]+m[3]+m[4]+m[5])
		}
		return scripts
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines) && len(scripts) < maxLoops; i++ {
		m := yamlKey.FindStringSubmatch(strings.TrimRight(lines[i], "\r"))
		if m == nil || !slices.Contains(scriptKeys, m[2]) {
			continue
		}
		switch val := strings.TrimSpace(m[3]); {
		case val == "" || val[0] == '|' || val[0] == '>': // what stands deeper
			var block []string
			for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || indent(lines[i+1]) > len(m[1]) || val == "" && indent(lines[i+1]) == len(m[1]) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "- ")) {
				i++
				if val == "" && yamlKey.MatchString(lines[i]) && !strings.HasPrefix(strings.TrimSpace(lines[i]), "- ") { // a map, with keys of its own
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
	old, before := sh.st, len(sh.out)
	sh.st = old.clone()
	sh.st.remote = buildService
	for _, line := range strings.Split(src, "\n") { // TOKEN: ${{ secrets.X }}
		if key, val, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && len(key) < 64 && !strings.ContainsAny(key, " -\"'") {
			if m := expression.FindStringSubmatch(val); m != nil {
				sh.st.set(key, expressed(m[1]))
			}
		}
	}
	for _, script := range ciScripts(name, src) {
		n := 0
		given := func(vs values) string {
			n++
			key := "HOOKWAY_GIVEN_" + strings.Repeat("I", n)
			sh.st.set(key, vs)
			return "${" + key + "}"
		}
		script = expression.ReplaceAllStringFunc(script, func(s string) string { return given(expressed(expression.FindStringSubmatch(s)[1])) })
		if strings.Contains(strings.ToLower(name), "azure") {
			script = azureName.ReplaceAllStringFunc(script, func(s string) string { return given(anything(ciSecret + azureName.FindStringSubmatch(s)[1])) })
		}
		sh.inner(script, hook.Span{}, nil, nil, true)
	}
	sh.st = old
	anybody := strings.Contains(src, "pull_request_target")
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
