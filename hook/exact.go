package hook

import (
	"bytes"
	"encoding/json"
)

// decodeExact reads JSON with every number as json.Number, digit for digit: a float64 has
// no room for the ids of 64 bits that some tools take, and what a hook leaves alone must
// come out as it went in.
func decodeExact(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}
