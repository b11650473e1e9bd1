package daemon

// playDeaf is not played here: there is no signal that a process could heed.
const playDeaf = "DAEMON_TEST_DEAF"

func deaf(string, string) {}
