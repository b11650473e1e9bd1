package memory

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

var timeWords = sync.OnceValue(func() map[string]bool {
	return set(`yesterday today tomorrow tonight ago last next week weekend month year morning evening afternoon night summer
winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday january february march april june july
august september october november december jan feb apr jun jul aug sep sept oct nov dec days weeks months years recently`)
})

var numberWords = sync.OnceValue(func() map[string]bool {
	return set(`two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million
dozen couple several few twice half once`)
})

func set(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

// hintsOf reads a text, of which list is the words.
func hintsOf(text string, list []string) (h hints) {
	times, numbers := timeWords(), numberWords()
	for _, w := range list {
		switch {
		case times[w]:
			h |= hasTime
		case numbers[w]:
			h |= hasNumber
		case w[0] >= '0' && w[0] <= '9':
			h |= hasNumber
			if year, err := strconv.Atoi(w); err == nil && year >= 1900 && year < 2100 {
				h |= hasTime
			}
		}
	}
	if strings.HasSuffix(strings.TrimRight(text, " \t\n\"')"), "?") {
		h |= isQuestion
	}
	return h
}

// asked is what a query wants besides words.
type asked struct {
	hints hints // hasTime, hasNumber
	spans []span
}

// span is days, the first and the one behind the last.
type span struct{ from, to int32 }

func (s span) has(day int32) bool { return day >= s.from && day < s.to }

// askedBy reads the question words and the dates of a query.
func askedBy(query string) (a asked) {
	list := words(query)
	for i, w := range list {
		next := ""
		if i+1 < len(list) {
			next = list[i+1]
		}
		switch {
		case w == "when", (w == "what" || w == "which") && (next == "date" || next == "day" || next == "month" || next == "year" || next == "time"):
			a.hints |= hasTime
		case w == "how" && next == "long":
			a.hints |= hasTime | hasNumber
		case w == "how" && (next == "many" || next == "much" || next == "old" || next == "often"):
			a.hints |= hasNumber
		}
	}
	a.spans = datesOf(list)
	return a
}

// datesOf finds dates in a text: a day, a month of a year, or a year. A month
// without a year is none: it is unknown which one is meant.
func datesOf(list []string) []span {
	var spans []span
	year := 0
	for _, w := range list {
		if n, err := strconv.Atoi(w); err == nil && len(w) == 4 && n >= 1970 && n < 2200 {
			year = n
		}
	}
	if year == 0 {
		return nil
	}
	for i, w := range list {
		month := monthOf(w)
		if month == 0 {
			continue
		}
		from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		to := from.AddDate(0, 1, 0)
		for _, at := range []int{i - 1, i + 1} {
			if at < 0 || at >= len(list) {
				continue
			}
			day, err := strconv.Atoi(strings.TrimRight(list[at], "stndrh"))
			if err == nil && day >= 1 && day <= 31 {
				from = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
				to = from.AddDate(0, 0, 1)
				break
			}
		}
		spans = append(spans, span{int32(from.Unix() / 86400), int32(to.Unix() / 86400)})
	}
	if len(spans) == 0 {
		from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		spans = append(spans, span{int32(from.Unix() / 86400), int32(from.AddDate(1, 0, 0).Unix() / 86400)})
	}
	return spans
}

func monthOf(word string) time.Month {
	if len(word) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if word == name || len(word) <= 4 && strings.HasPrefix(name, word) {
			return m
		}
	}
	return 0
}
