package tmux

import "strings"

// settings are the options of the server. The user's come after them.
const settings = `
set-option -s escape-time 0  # Escape is a key of many programs
set-option -s default-terminal tmux-256color
set-option -s focus-events on
set-option -s extended-keys on  # for programs that ask: Shift-Enter is not Enter
set-option -s set-clipboard external  # never by the program
set-option -g status off
set-option -g mouse off
set-option -g assume-paste-time 10  # ms; a prefix in pasted text is text
set-option -g history-limit 50000
set-option -g update-environment ''
set-option -g set-titles on
set-option -g set-titles-string '#{?#{==:#{pane_title},#{host}},#{session_name},#{pane_title}}'
set-option -gw automatic-rename off
set-option -gw allow-rename off
set-option -gwq allow-passthrough off
unbind-key -a -T root
unbind-key -a -T prefix  # C-z among them, after which there would be no shell to go on with
set-option -g prefix C-b
bind-key C-b send-prefix
bind-key d detach-client
bind-key [ copy-mode
bind-key PPage copy-mode -u
`

// needs are the options that the user's settings cannot change: a session ends
// with its program, and not with its last client.
const needs = `
set-option -s exit-empty on
set-option -s exit-unattached off
set-option -g destroy-unattached off
set-option -g detach-on-destroy on
set-option -gw remain-on-exit off
`

// script is all settings as tmux reads them, with the user's file, which need
// not exist.
func script(file string) string {
	if file == "" {
		return settings + needs
	}
	return settings + "source-file -q " + quote(globEscape.Replace(file)) + "\n" + needs
}

// globEscape keeps tmux from taking a path for a pattern.
var globEscape = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// quote makes one word of a text, for tmux.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
