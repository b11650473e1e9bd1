package terminal

import (
	"slices"
	"strings"
	"testing"
)

func TestAScrollbarIsNoText(t *testing.T) {
	const width = 20
	page := func(rows ...string) (texts []string) {
		s := Screen{Width: width, Height: 10}
		for _, row := range rows {
			s.Rows = append(s.Rows, Row{Text: row, Solid: row, full: len([]rune(row)) == width})
		}
		s.Row = len(s.Rows)
		for _, p := range paragraphs(nil, s) {
			texts = append(texts, strings.TrimSpace(p.text))
		}
		return texts
	}
	right := func(text, bar string) string { return text + strings.Repeat(" ", width-1-len(text)) + bar }
	tests := []struct {
		name string
		rows []string
		want []string
	}{
		{"in the last column", []string{right("@deploy:a b", "┃"), right("", "┃"), right("other", "┃")}, []string{"@deploy:a b", "other"}},
		{"beside it", []string{right("@deploy:a b", "█")[1:], "other"}, []string{"deploy:a b", "other"}},
		{"the side of a box stays", []string{right("| a", "|")}, []string{right("| a", "|")}},
		{"beside a quote", []string{right("| @deploy:a", "█")}, []string{"| @deploy:a"}},
		{"a full bar stays", []string{"work " + strings.Repeat("█", width-5)}, []string{"work " + strings.Repeat("█", width-5)}},
		{"in the middle of the screen it is text", []string{"a ┃"}, []string{"a ┃"}},
	}
	for _, tt := range tests {
		if got := page(tt.rows...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
