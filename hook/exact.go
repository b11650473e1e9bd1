package hook

import (
	"bytes"
	"encoding/json"
)

// decodeExact reads JSON with every number as json.Number, digit for digit.
func decodeExact(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}
