package memory

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World!":                   "hello world",
		"don't, Ann's, the users’ keys":   "dont ann the users keys",
		"authMiddleware snake_case HTTPx": "authmiddleware auth middleware snakecase snake case httpx",
		"C++ and c# or F#":                "c++ and c# or f#",
		"Zoë Straße naïve":                "zoe strasse naive",
		"docs/run.md v1.60.1":             "docs run md v1 60 1",
		"東京タワー 2":                         "東京 京タ タワ ワー 2",
		"Привет, мир":                     "привет мир",
		"  ...  ":                         "",
		"x'":                              "x",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestStem has a word or two for each rule.
func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ties": "tie", "cries": "cri", "gas": "gas", "gaps": "gap", "kiwis": "kiwi", "bus": "bus", "pass": "pass",
		"agreed": "agre", "feed": "feed", "hopping": "hop", "hoping": "hope", "luxuriated": "luxuri", "sized": "size", "sing": "sing", "bled": "bled",
		"falling": "fall", "hoped": "hope", "fail": "fail", "filing": "file", "cry": "cri", "by": "by", "say": "say",
		"national": "nation", "nationally": "nation", "generate": "generat", "generously": "generous", "organization": "organ", "hopefulness": "hope",
		"sensibility": "sensibl", "apology": "apolog", "apologies": "apolog", "carefully": "care", "relational": "relat", "electricity": "electr",
		"formative": "format", "happiness": "happi", "adjustment": "adjust", "adoption": "adopt", "migrations": "migrat", "migrating": "migrat",
		"controlling": "control", "rolled": "roll", "dying": "die", "news": "news", "innings": "inning", "succeed": "succeed", "communities": "communiti",
		"knitting": "knit", "youthful": "youth", "boy": "boy", "tests": "test", "testing": "test", "tested": "test", "go": "go", "über": "über", "rate": "rate", "skies": "sky",
	} {
		if got := stem(word); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

// TestHints is what a search knows besides words.
func TestHints(t *testing.T) {
	for text, want := range map[string]hints{
		"We met yesterday": hasTime, "It costs 40 euros": hasNumber, "Since May 2024": hasTime | hasNumber, "Really?": isQuestion, "Nothing": 0,
	} {
		if got := hintsOf(text, words(text)); got != want {
			t.Errorf("%q: got %b, want %b", text, got, want)
		}
	}
	for query, want := range map[string]hints{
		"When did Ann leave?": hasTime, "what date is it": hasTime, "How many are there": hasNumber, "how long": hasTime | hasNumber, "who is it": 0,
	} {
		if got := askedBy(query).hints; got != want {
			t.Errorf("%q: got %b, want %b", query, got, want)
		}
	}
	day := func(query string) int {
		days := 0
		for _, s := range askedBy(query).spans {
			days += int(s.to - s.from)
		}
		return days
	}
	for query, want := range map[string]int{
		"in March 2024": 31, "on 3 March 2024": 1, "March 3rd, 2024": 1, "in 2024": 366, "in March": 0, "in February or April 2023": 58, "12345": 0,
	} {
		if got := day(query); got != want {
			t.Errorf("%q is %d days, want %d", query, got, want)
		}
	}
}

func TestWhatRankingLooksAt(t *testing.T) {
	s := fresh(t)
	in := func(text, agent, session, at string) {
		t.Helper()
		line := `{"text":"` + text + `","agent":"` + agent + `","session":"` + session + `","time":"` + at + `"}`
		if _, err := s.Import(t.Context(), strings.NewReader(line), Memory{Workspace: "/w"}); err != nil {
			t.Fatal(err)
		}
	}
	in("Which instrument do you play?", "Alice", "a", "2024-01-01")
	in("The bassoon, for nine years.", "Bob", "a", "2024-01-01")
	in("Our server is called falcon.", "Bob", "b", "2024-02-01")
	in("Our server is called osprey.", "Alice", "c", "2024-06-01")
	in("I renamed kubernetes namespaces.", "Carol", "d", "2024-07-01")
	in("My puppy chews on everything.", "Carol", "d", "2024-07-01")
	for query, want := range map[string]string{
		"what does Bob play":                 "The bassoon, for nine years.",     // beside the words
		"what did Alice call the server":     "Our server is called osprey.",     // who said it
		"the server's name in February 2024": "Our server is called falcon.",     // when
		"kubernets namespace":                "I renamed kubernetes namespaces.", // a slip of the finger
		"which dog is there":                 "My puppy chews on everything.",    // another word
	} {
		found, err := s.Search(t.Context(), query, 1, View{Workspace: "/w"})
		if err != nil || texts(found) != want {
			t.Errorf("%s: found %q, %v; want %q", query, texts(found), err, want)
		}
	}
}

func FuzzPlainWords(f *testing.F) {
	for _, text := range []string{"It's authMiddleware and snake_case, c++ f# a__b x'y' HTTPServer aB_c's", "'_'", "a1B2c3 don't", "_a_ C#d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !sevenBits(text) {
			return
		}
		if plain, any := plainWords(text), anyWords(text); !slices.Equal(plain, any) {
			t.Errorf("%q: %q, and for any letters %q", text, plain, any)
		}
	})
}
