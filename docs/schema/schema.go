// Package schema holds the JSON Schemas of what hookway reads and writes. They
// are made from the Go types by the tests of the packages that own those types.
package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.json
var files embed.FS

// OpenAPI is the description of what the daemon answers over HTTP. It is made and
// held to the truth by the tests of internal/api.
func OpenAPI() []byte {
	data, err := files.ReadFile("openapi.json")
	if err != nil {
		panic(err) // cannot be: it is embedded
	}
	return data
}

const suffix = ".schema.json"

// Get gives a schema by its name: event, decision, outcome and so on. The error
// for an unknown name lists the names.
func Get(name string) ([]byte, error) {
	data, err := files.ReadFile(strings.TrimSuffix(name, suffix) + suffix)
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q; the schemas are %s", name, strings.Join(Names(), ", "))
	}
	return data, nil
}

// Names lists the schemas, sorted.
func Names() []string {
	entries, err := fs.Glob(files, "*"+suffix)
	if err != nil {
		return nil // cannot be: the pattern is right
	}
	for i, name := range entries {
		entries[i] = strings.TrimSuffix(name, suffix)
	}
	return entries
}
