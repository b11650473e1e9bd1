package relay

import (
	"bytes"
	"encoding/json"
)

// encode writes JSON as short as it is: the usual way makes six bytes of each '<',
// which is many in a message about code.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
