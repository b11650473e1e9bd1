package install

// rootsOnly is not looked at here: it is taken for so.
func rootsOnly(string) bool { return true }
