package install

import "os/exec"

// alone leaves a program as it is: it is ended by itself when its time is over.
func alone(*exec.Cmd) {}
