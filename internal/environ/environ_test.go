package environ

import "testing"

func TestExpand(t *testing.T) {
	environ := []string{"TOKEN=old", "EMPTY=", "TOKEN=new", "no entry"}
	for _, c := range []struct{ value, want, wrong string }{
		{"plain", "plain", ""},
		{"Bearer ${TOKEN}", "Bearer new", ""},
		{"${TOKEN}-${TOKEN}", "new-new", ""},
		{"[${EMPTY}]", "[]", ""},
		{"$TOKEN ${1} ${} ${TOKEN", "$TOKEN ${1} ${} ${TOKEN", ""},
		{"${TOKEN} ${GHOST} ${OTHER}", "", "the header x needs the variable GHOST, which is not set in the agent's environment"},
	} {
		got, err := Expand("the header x", c.value, environ)
		wrong := ""
		if err != nil {
			wrong = err.Error()
		}
		if got != c.want || wrong != c.wrong {
			t.Errorf("%q: %q, %q; want %q, %q", c.value, got, wrong, c.want, c.wrong)
		}
	}
}
