package environ

// ReplayVariable is 1 in the environment of hooks that are asked about the past: nothing
// comes of what they decide.
const ReplayVariable = "HOOKWAY_REPLAY"

// ReplayHeader tells servers so.
const ReplayHeader = "Hookway-Replay"

// Replays reports whether an environment is one of a replay.
func Replays(environ []string) bool {
	value, _ := Lookup(environ, ReplayVariable)
	return value == "1"
}
