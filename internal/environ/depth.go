package environ

import (
	"errors"
	"strconv"
)

// DepthVariable tells the programs of hooks how many hooks stand between the user
// and them.
const DepthVariable = "HOOKWAY_DEPTH"

// mostDepth bounds what an environment may tell: it is far more than is let pass.
const mostDepth = 1 << 20

// Depth reads the value of DepthVariable: 0 is outside of hooks. What is not a number,
// or a negative one, counts as none, and what no number can hold as very many.
func Depth(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return min(max(0, n), mostDepth) // out of range, n is the nearest that is in it
}

// Deeper is the variable for the programs of hooks that run at a depth.
func Deeper(depth int) string { return DepthVariable + "=" + strconv.Itoa(depth+1) }
