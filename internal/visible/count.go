package visible

import "strconv"

// Number is a number with its thousands apart: 12,345.
func Number(n int) string {
	s := strconv.Itoa(n)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count is a number with its word; the plural has an s unless it is given.
func Count(n int, one string, many ...string) string {
	word := one
	if n != 1 {
		if word = one + "s"; len(many) > 0 {
			word = many[0]
		}
	}
	return Number(n) + " " + word
}
