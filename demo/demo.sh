#!/bin/sh
# Shows what hookway does, with the binary that make build made. It works in a
# folder of its own and leaves nothing behind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'hookway stop >/dev/null 2>&1; rm -rf "$work"' EXIT INT TERM
export HOOKWAY_HOME="$work/home"
unset HOOKWAY_SESSION HOOKWAY_AGENT || true
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

title "The hooks of this folder run once you trust them"
show hookway trust
show hookway list

title "An agent in a terminal: its directive is answered by a hook"
show hookway run -n Demo -- sh "$here/agent.sh" </dev/null

title "Claude Code wants to delete everything: refused, with the reason"
call='{"session_id":"s-1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"},"cwd":"'$PWD'"}'
printf '%s\n' "$call"
printf '%s' "$call" | show hookway hook claude

title "A harmless command gets a timeout: a changed tool input"
call='{"session_id":"s-1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"go test ./...","budget":9007199254740993},"cwd":"'$PWD'"}'
printf '%s\n' "$call"
printf '%s' "$call" | show hookway hook claude

title "Why? The steps of a decision"
printf '{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' | show hookway fire PreToolUse - || echo "(exit code $?: blocked)"
