package facts

import (
	"slices"
	"strings"
)

// fromItself is the source of a text that a program prints about itself, for a shell to run:
// eval "$(ssh-agent -s)", source <(kubectl completion bash). Who may run that program may run
// what it prints.
const fromItself = "itself"

// settingsWords are the words by which programs are asked for such a text.
var settingsWords = []string{"init", "init-", "virtualenv-init", "shellenv", "shell-env", "hook", "activate", "env", "docker-env", "podman-env", "completion", "completions", "shell-init", "shell.bash", "shell.zsh", "shell.posix", "shell-hook"}

// settingsPrinters are programs that are asked for nothing else, and the option that asks.
var settingsPrinters = map[string]string{
	"ssh-agent": "-s", "gpg-agent": "--daemon", "keychain": "--eval", "dircolors": "", "lesspipe": "", "lesspipe.sh": "", "resize": "", "tset": "-s", "thefuck": "--alias",
	"register-python-argcomplete": "", "direnv": "", "luarocks": "path", "docker-machine": "env", "complete": "", "fasd": "--init", "jump": "shell", "mcfly": "init", "ssh-keychain": "",
}

// printsSettings reports whether the program is asked for such a text.
func (c *call) printsSettings() bool {
	if !systemBin(c.path) || interpreters[c.name] != "" || isShell(c.name) {
		return false
	}
	if option, ok := settingsPrinters[c.name]; ok {
		return option == "" || slices.ContainsFunc(c.args, func(f field) bool { return f.text == option })
	}
	if special[c.name] != nil {
		return false
	}
	for _, f := range c.args[:min(len(c.args), 2)] {
		if slices.Contains(settingsWords, f.text) {
			return len(c.args) < 6
		}
		if strings.HasPrefix(f.text, "-") {
			break
		}
	}
	return false
}

// ownSettings reports whether a text is no more than what a program prints about itself.
func ownSettings(v value) bool {
	return strings.TrimSpace(v.text) == string(hole) && len(v.from) == 1 && v.from[0] == fromItself
}
