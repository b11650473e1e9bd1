package fulldisk

// Windows bounds no files: what is tried with a full disk is tried elsewhere.
func begin(uint64) (room func() error, err error) { return func() error { return nil }, nil }
