package visible

import "testing"

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n    int
		many []string
		want string
	}{
		{0, nil, "0 calls"}, {1, nil, "1 call"}, {999, nil, "999 calls"}, {1000, nil, "1,000 calls"},
		{1234567, nil, "1,234,567 calls"}, {-100, nil, "-100 calls"}, {-1000, nil, "-1,000 calls"}, {2, []string{"calls were"}, "2 calls were"},
	} {
		if got := Count(test.n, "call", test.many...); got != test.want {
			t.Errorf("%d: got %q, want %q", test.n, got, test.want)
		}
	}
}
