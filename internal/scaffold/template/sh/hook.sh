#!/bin/sh
# HOOKNAME: a command that says sudo or doas is refused, and noted. Which ones that
# are is decided by their text, which is no wall: su, or a script that calls sudo,
# pass.
#
# Which events come here is said by match: in hookway.yaml, so that nothing here
# has to take JSON apart. The event, one line of JSON, is on stdin.
umask 077
log=${HOOKWAY_PROJECT_DIR:-.}/.hookway/HOOKNAME.log
{ cat; echo; } >>"$log" || echo "the event was not noted in $log" >&2

# Status 2 is a block, with stderr as its reason. Status 0 would let it pass.
echo "Work without sudo, or ask the user to do it." >&2
exit 2
