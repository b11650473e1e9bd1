package exam

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Recall is how much of what answers a question is among the first k that are
// found, in percent, in the mean of all questions; and the same of each set.
func Recall(k int, asked []Question, find func(query string, k int) (ids []string)) (share float64, bySet map[string]float64) {
	of := map[string]int{}
	bySet = map[string]float64{}
	for _, a := range asked {
		of[a.Set]++
		found, got := 0, find(a.Text, k)
		for _, id := range a.IDs {
			if slices.Contains(got, id) {
				found++
			}
		}
		part := 100 * float64(found) / float64(max(1, len(a.IDs)))
		share += part / float64(len(asked))
		bySet[a.Set] += part
	}
	for set, n := range of {
		bySet[set] /= float64(n)
	}
	return share, bySet
}

// Questions reads a user's own, one JSON object a line: {"query": …, "ids": […]},
// with the ids of the memories that answer it. The error names the line.
func Questions(from io.Reader) (asked []Question, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var q Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("line %d is not a question like {\"query\": \"…\", \"ids\": [\"…\"]}: %w", n, err)
		}
		if q.Text == "" || len(q.IDs) == 0 {
			return nil, fmt.Errorf("line %d: a question needs a query, and the ids of what answers it", n)
		}
		asked = append(asked, q)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(asked) == 0 {
		return nil, errors.New("there is no question in it")
	}
	return asked, nil
}
