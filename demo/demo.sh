#!/bin/sh
# Shows what hookway does, with the binaries that make build made. It works in a
# folder of its own, ends the daemon that it started, and leaves nothing behind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'hookway stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export HOME="$work" HOOKWAY_HOME="$work/hookway"
unset HOOKWAY_SESSION HOOKWAY_AGENT HOOKWAY_TRUST HOOKWAY_DAEMON HOOKWAY_PROJECT_DIR CLAUDE_PROJECT_DIR CLAUDE_CONFIG_DIR || true
cp -R "$here/workspace" "$work/project"
cd "$work/project"
chmod +x deploy.sh

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then
    title() { printf '\n== %s\n' "$*"; }
fi
show() {
    printf '$ %s\n' "$*"
    "$@"
}
# tell EVENT TOOL COMMAND AGENT: what an agent does before it runs a command.
tell() {
    call='{"session_id":"'$4'-1","hook_event_name":"'$1'","tool_name":"'$2'","tool_input":{"command":"'$3'"},"cwd":"'$PWD'"}'
    printf '%s\n' "$call"
    printf '%s' "$call" | show hookway-hook "$4" --event "$1"
}

title "The hooks of this folder run once you trust them"
show hookway trust
show hookway list

title "An agent in a terminal: its directive is answered by a hook"
show hookway run -n Demo -- sh "$here/agent.sh" </dev/null

title "Claude Code wants to delete everything: the daemon refuses, with the reason"
tell PreToolUse Bash 'rm -rf /' claude

title "Gemini CLI wants the same: the same hook, in Gemini's own words"
tell BeforeTool run_shell_command 'rm -rf /' gemini

title "A harmless command gets a timeout: a changed tool input"
tell PreToolUse Bash 'go test ./...' claude

title "What was decided, by whom, and why"
show hookway log --event PreToolUse
show hookway stats
show hookway log verify

title "What would be written into Claude Code's settings (the first lines of it)"
printf '$ hookway install claude --dry-run\n'
hookway install claude --dry-run 2>/dev/null | sed -n 1,14p

title "The steps of one decision"
printf '{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' | show hookway fire PreToolUse - || echo "(exit code $?: blocked)"
