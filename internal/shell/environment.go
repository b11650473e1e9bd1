package shell

import (
	"maps"
	"slices"
	"strings"
)

// Variables by what programs do with their values: codeVariables hold lines that run,
// sourceVariables files that are sourced or loaded, folderVariables folders whose files
// programs load by names of their own, optionVariables options with files among them.
var (
	codeVariables = []string{"PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "LESSOPEN", "LESSCLOSE", "EDITOR", "VISUAL", "PAGER", "BROWSER", "MANPAGER",
		"GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH", "GIT_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
		"SSH_ASKPASS", "SUDO_ASKPASS", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"}
	sourceVariables = []string{"BASH_ENV", "ENV", "PYTHONSTARTUP", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GIT_CONFIG", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
		"MAKEFILES", "LUA_INIT", "BUNDLE_GEMFILE", "OPENSSL_CONF", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "COR_PROFILER_PATH", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON_USER",
		"PHPRC", "WGETRC", "CLASSPATH", "GIT_SSL_ENGINE", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig"}
	folderVariables = []string{"PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PERL5LIB", "PERLLIB", "RUBYLIB", "NODE_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
		"AWKPATH", "AWKLIBPATH", "ZDOTDIR", "FPATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_DIR", "GIT_COMMON_DIR", "GEM_HOME", "GEM_PATH", "OPENSSL_ENGINES", "OPENSSL_MODULES", "GCONV_PATH",
		"PHP_INI_SCAN_DIR", "TCLLIBPATH", "GUILE_LOAD_PATH", "JULIA_LOAD_PATH", "CURL_HOME", "CLASSPATH", "PHPRC"}
	optionVariables = []string{"NODE_OPTIONS", "PERL5OPT", "PERL5DB", "RUBYOPT", "MAKEFLAGS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "BUN_OPTIONS", "GIT_CONFIG_PARAMETERS", "LUA_PATH", "LUA_CPATH"}
)

// special is what some variables do by themselves.
func (a *analysis) special(name string, vals []value, known bool, src string) {
	code := slices.Contains(codeVariables, name) || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	source, folder := slices.Contains(sourceVariables, name), slices.Contains(folderVariables, name)
	if !known && (code || source || folder && !isAdded(vals)) {
		a.unknown(src, map[bool]string{true: "what it runs is not in the text", false: "what it loads is not in the text"}[code])
	}
	for _, v := range vals {
		if code {
			a.later(func() {
				if a.expansions(v.text); !strings.HasPrefix(name, "PS") {
					a.child(func() { a.code(strings.TrimPrefix(v.text, "!")) })
				}
			})
		}
		if source || folder {
			for _, one := range strings.FieldsFunc(v.text, func(r rune) bool { return r == ':' || r == ' ' && !folder }) {
				a.loaded(arg{value: value{text: strings.TrimPrefix(one, "@"), glob: v.glob}, known: true, src: src}, folder)
			}
		}
		if slices.Contains(optionVariables, name) {
			a.loadOptions(name, v, src)
		}
		if name == "CDPATH" {
			a.enter(strings.Split(v.text, ":"))
		}
	}
}

// isAdded reports whether a value adds to a list of which the rest is not known: that
// is the user's own.
func isAdded(vals []value) bool {
	return len(vals) > 0 && !slices.ContainsFunc(vals, func(v value) bool { return !strings.Contains(v.text, ":") })
}

// loaded notes what a variable names to be loaded: a file, or all files of a folder.
func (a *analysis) loaded(g arg, folder bool) {
	a.sourced(g)
	if !folder || g.glob {
		return
	}
	for _, n := range a.places(g) {
		if a.List == nil {
			continue
		}
		if _, err := a.List(n.Path); err != nil {
			a.out.Folders = append(a.out.Folders, n.Path) // it may come
			continue
		}
		n.Tree = true
		a.tell(&a.out.Sources, "s", n)
	}
}

// loadOptions notes the files and folders that options of an interpreter name.
func (a *analysis) loadOptions(name string, v value, src string) {
	in := interpreters[map[string]string{"NODE_OPTIONS": "node", "BUN_OPTIONS": "node", "PERL5OPT": "perl", "RUBYOPT": "ruby"}[name]]
	for _, one := range strings.FieldsFunc(v.text, func(r rune) bool { return strings.ContainsRune(" \t='\";(),", r) }) {
		g := arg{value: value{text: one}, known: true, src: src}
		a.sources(g)
		if dir, ok := strings.CutPrefix(one, "-I"); ok && dir != "" {
			a.loaded(arg{value: value{text: dir}, known: true, src: src}, true)
		} else if len(one) > 2 && one[0] == '-' && one[1] != '-' { // -rFILE, -MModule
			a.load(in, arg{value: value{text: one[2:]}, known: true, src: src}, nil)
		} else if in.language != "" && one[0] != '-' {
			a.load(in, g, nil)
		}
	}
}

// environment looks at the variables that the reader was given.
func (a *analysis) environment() {
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		a.special(name, []value{{text: a.Env[name]}}, true, name+"="+a.Env[name])
	}
}
