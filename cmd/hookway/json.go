package main

import (
	"bytes"
	"encoding/json"
)

// printJSON prints JSON that exists already, indented.
func (a *app) printJSON(text []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := a.out.Write(a.undirected(out.Bytes()))
	return err
}
