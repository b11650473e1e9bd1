package bus_test

import "errors"

func limitFiles(most uint64) error {
	if most == 0 {
		return nil
	}
	return errors.New("a file cannot be bounded here")
}
