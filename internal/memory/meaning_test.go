package memory

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bag is an embedder for tests: each stem has a direction, and a text goes where
// its stems go. It is a real one, only not a good one.
type bag struct {
	mu     sync.Mutex
	dims   int
	seed   string
	fails  error
	poison string        // a text with it fails
	asked  int           // how often
	texts  int           // how many texts
	gate   chan struct{} // if not nil, every question waits for it
	come   chan struct{} // if not nil, it is told of every question that waits
}

func (b *bag) Embed(ctx context.Context, texts []string, _ bool) ([][]float32, error) {
	b.mu.Lock()
	gate := b.gate
	b.mu.Unlock()
	if gate != nil {
		if b.come != nil {
			b.come <- struct{}{}
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	b.texts += len(texts)
	if b.fails != nil {
		return nil, b.fails
	}
	var out [][]float32
	for _, text := range texts {
		if b.poison != "" && strings.Contains(text, b.poison) {
			return nil, errors.New("500: unsupported value: NaN")
		}
		v := make([]float32, b.dims)
		v[0] = 0.1
		for _, term := range terms(text) {
			b.point(v, term)
		}
		out = append(out, v)
	}
	return out, nil
}

// point adds the direction of a term.
func (b *bag) point(v []float32, term string) {
	h := fnv.New64a()
	h.Write([]byte(b.seed + term))
	n := h.Sum64()
	for i := range v {
		n ^= n << 13
		n ^= n >> 7
		n ^= n << 17
		v[i] += float32(int8(n>>32)) / 128
	}
}

func (b *bag) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func (b *bag) space() Space { return Space{Model: "bag"} }

// vectors counts the vectors of a store, by space and dims.
func vectors(t *testing.T, s *Store) string {
	t.Helper()
	var out string
	err := s.db.QueryRow("SELECT coalesce(group_concat(line, ', '), '') FROM (SELECT count(*) || ' of ' || length(data) AS line FROM vector GROUP BY space, length(data) ORDER BY space)").Scan(&out)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func embedNow(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Embed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestAFileOfTheFirstForm(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "forms", "1.db"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	b := &bag{dims: 8}
	s.Use(b, b.space())
	list, err := s.List(t.Context(), 0, View{Workspace: "/w"})
	switch {
	case err != nil || texts(list) != "Tests need a running Redis; The user prefers dark mode":
		t.Errorf("it has %+v, %v", list, err)
	case list[1].Agent != "Alice":
		t.Errorf("list[1].Agent: got %v, want %v", list[1].Agent, "Alice")
	case list[1].Tags[0] != "style":
		t.Errorf("list[1].Tags[0]: got %v, want %v", list[1].Tags[0], "style")
	}
	save(t, s, Memory{Text: "and a new one", Workspace: "/w"})
	embedNow(t, s)
	if got := vectors(t, s); got != "3 of 8" {
		t.Errorf("there are %s", got)
	}
	for range 2 { // and it is opened again
		s = open(t, path)
	}
	if found, err := s.Search(t.Context(), "dark theme", 1, View{Workspace: "/w"}); err != nil || len(found) != 1 || found[0].ID != list[1].ID {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestSavingDoesNotWaitForTheEmbedder(t *testing.T) {
	s := fresh(t)
	b := &bag{dims: 16, gate: make(chan struct{})}
	s.Use(b, b.space())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Follow(ctx, nil) }()
	for i := range 50 { // each returns though nobody opens the gate
		save(t, s, Memory{Text: fmt.Sprint("fact number ", i), Workspace: "/w"})
	}
	close(b.gate)
	for end := time.Now().Add(20 * time.Second); vectors(t, s) != "50 of 16"; {
		if time.Now().After(end) {
			t.Fatalf("there are %s", vectors(t, s))
		}
		time.Sleep(time.Millisecond) // another goroutine writes to the file
	}
	stop()
	<-ended
	b.set(func() {
		if b.texts > 60 || b.asked > 55 {
			t.Errorf("the embedder was asked %d times for %d texts", b.asked, b.texts)
		}
	})
}

func TestMeaningFindsWhatWordsDoNot(t *testing.T) {
	s := fresh(t)
	// The question has the stem of no memory; its vector is that of another word.
	b := &pairing{bag: &bag{dims: 64}, same: map[string]string{"zyzzyva": "kangaroo"}}
	s.Use(b, b.space())
	for i := range 200 {
		save(t, s, Memory{Text: fmt.Sprint("nothing of note happened on day ", i), Workspace: "/w"})
	}
	want := save(t, s, Memory{Text: "a kangaroo came", Workspace: "/w"})
	embedNow(t, s)
	found, err := s.Search(t.Context(), "zyzzyva", 3, View{Workspace: "/w"})
	if err != nil || len(found) == 0 || found[0].ID != want.ID {
		t.Errorf("found %q, %v", texts(found), err)
	}
	if found, err := s.Search(t.Context(), "zyzzyva", 3, View{Workspace: "/w", By: "nobody"}); err != nil || len(found) != 0 {
		t.Errorf("the view does not hold for vectors: %q, %v", texts(found), err)
	}
}

// pairing is an embedder that knows words which mean the same.
type pairing struct {
	*bag
	same map[string]string
}

func (p *pairing) Embed(ctx context.Context, texts []string, query bool) ([][]float32, error) {
	texts = slices.Clone(texts)
	for i := range texts {
		for from, to := range p.same {
			texts[i] = strings.ReplaceAll(texts[i], from, to)
		}
	}
	return p.bag.Embed(ctx, texts, query)
}

func TestAnEmbedderThatFailsIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meaning{}
		b := &bag{dims: 4}
		s := &Store{meaning: meaning{}}
		s.Use(b, b.space())
		m = &s.meaning
		ask := func() (got bool, warning string) {
			v, warning := s.question(t.Context(), "x")
			return v != nil, warning
		}
		for outage := range 2 {
			if got, warning := ask(); !got || warning != "" {
				t.Fatalf("outage %d: it does not work: %q", outage, warning)
			}
			b.fails = errors.New("it is down")
			if got, warning := ask(); got || warning != "searched by words alone: it is down" {
				t.Errorf("outage %d: %v, %q", outage, got, warning)
			}
			before := b.asked
			if got, warning := ask(); got || warning != "" || b.asked != before {
				t.Errorf("it is asked again at once: %q", warning)
			}
			for range 10 { // longer and longer, and no word of it
				time.Sleep(mostPause)
				if got, warning := ask(); got || warning != "" {
					t.Errorf(`got %v, %q, want !got and warning == ""`, got, warning)
				}
			}
			if b.asked != before+10 {
				t.Errorf("asked %d times, want 10", b.asked-before)
			}
			if left := time.Until(m.until); left < mostPause*4/5 || left > mostPause {
				t.Errorf("the pause is %v, want about %v", left, mostPause)
			}
			b.fails = nil
			time.Sleep(mostPause)
		}
	})
}

func TestVectorsOfOtherModelsAreNeverMixed(t *testing.T) {
	s := fresh(t)
	b := &bag{dims: 16}
	s.Use(b, b.space())
	view := View{Workspace: "/w"}
	for i := range 100 {
		save(t, s, Memory{Text: fmt.Sprint("fact number ", i), Workspace: "/w"})
	}
	embedNow(t, s)
	find := func(when string) {
		t.Helper()
		found, err := s.Find(t.Context(), "fact number 7", 5, view)
		switch {
		case err != nil || len(found.Memories) == 0:
			t.Errorf("%s: found %q, %q, %v", when, texts(found.Memories), found.Warning, err)
		case found.Memories[0].Text != "fact number 7":
			t.Errorf("found.Memories[0].Text: got %v, want %v", found.Memories[0].Text, "fact number 7")
		case found.Warning != "":
			t.Errorf("found.Warning: got %v, want %v", found.Warning, "")
		}
	}
	find("16 dims")
	b.set(func() { b.dims = 32 })
	find("a question of 32 dims, vectors of 16")
	s.meaning.at = progress{} // as if ten minutes had passed
	if err := s.embedMost(t.Context(), 40, nil); err != nil {
		t.Fatal(err)
	}
	if got := vectors(t, s); got != "100 of 16, 40 of 32" {
		t.Errorf("half-way there are %s", got)
	}
	find("half-way")
	embedNow(t, s)
	if got := vectors(t, s); got != "100 of 32" {
		t.Errorf("in the end there are %s", got)
	}
	find("32 dims")

	b.set(func() { b.seed = "another" }) // with the same name and dims
	s.meaning.at = progress{}
	if err := s.embedMost(t.Context(), 40, nil); err != nil {
		t.Fatal(err)
	}
	if got := vectors(t, s); got != "100 of 32, 40 of 32" {
		t.Errorf("another model, half-way: %s", got)
	}
	embedNow(t, s)
	if got := vectors(t, s); got != "100 of 32" {
		t.Errorf("another model: %s", got)
	}
	find("another model")

	other := open(t, s.path) // the same file, with a model that has another name
	other.Use(&bag{dims: 32, seed: "third"}, Space{Model: "third"})
	embedNow(t, other)
	embedNow(t, s)
	if got := vectors(t, s); got != "100 of 32, 100 of 32" {
		t.Errorf("two models in use: %s", got)
	}
	if _, err := s.db.Exec("UPDATE space SET used = used - 100 WHERE model = 'third'"); err != nil {
		t.Fatal(err)
	}
	s.meaning.at = progress{}
	embedNow(t, s)
	if got := vectors(t, s); got != "100 of 32" {
		t.Errorf("one has not been used for long: %s", got)
	}
}

func TestVectorsGoWithTheirMemories(t *testing.T) {
	s := fresh(t)
	b := &bag{dims: 16}
	s.Use(b, b.space())
	view := View{Workspace: "/w"}
	first := save(t, s, Memory{Text: "the first", Workspace: "/w"})
	second := save(t, s, Memory{Text: "the second", Workspace: "/w"})
	embedNow(t, s)
	if err := s.Forget(t.Context(), first.ID, view); err != nil {
		t.Fatal(err)
	}
	if got := vectors(t, s); got != "1 of 16" {
		t.Errorf("after one was forgotten: %s", got)
	}
	line := `{"id":"` + second.ID + `","text":"something else"}`
	if _, err := s.Import(t.Context(), strings.NewReader(line), Memory{Workspace: "/w"}); err != nil {
		t.Fatal(err)
	}
	if got := vectors(t, s); got != "" {
		t.Errorf("after one was changed: %s", got)
	}
	embedNow(t, s)
	before := b.asked
	if err := s.EmbedSome(t.Context(), 5); err != nil || b.asked != before {
		t.Errorf("nothing is missing, and the embedder was asked %d times, %v", b.asked-before, err)
	}
	if found, err := s.Search(t.Context(), "something", 5, view); err != nil || texts(found) != "something else" || vectors(t, s) != "1 of 16" {
		t.Errorf("found %q, %s, %v", texts(found), vectors(t, s), err)
	}
}

func TestATextThatCannotBeEmbeddedStopsNoOther(t *testing.T) {
	s := fresh(t)
	b := &bag{dims: 16, poison: "number 33"}
	s.Use(b, b.space())
	for i := range 70 {
		save(t, s, Memory{Text: fmt.Sprint("fact number ", i), Workspace: "/w"})
	}
	left := -1
	if err := s.Embed(t.Context(), func(_, n int) { left = n }); err != nil || left != 1 || vectors(t, s) != "69 of 16" {
		t.Errorf("%d are left, %s, %v", left, vectors(t, s), err)
	}
	if found, err := s.Search(t.Context(), "fact 33", 1, View{Workspace: "/w"}); err != nil || texts(found) != "fact number 33" {
		t.Errorf("found %q, %v", texts(found), err)
	}
	before := b.asked
	embedNow(t, s)
	if b.asked != before {
		t.Errorf("it is tried again though nothing has changed: %d questions", b.asked-before)
	}
}

func TestOneProcessEmbeds(t *testing.T) {
	s := fresh(t)
	b := &bag{dims: 16, gate: make(chan struct{}), come: make(chan struct{}, 10)}
	s.Use(b, b.space())
	save(t, s, Memory{Text: "x", Workspace: "/w"})
	ended := make(chan error)
	go func() { ended <- s.Embed(t.Context(), nil) }()
	<-b.come
	other := open(t, s.path)
	other.Use(&bag{dims: 16}, b.space())
	if err := other.Embed(t.Context(), nil); !errors.Is(err, ErrEmbedding) {
		t.Errorf("a second one: %v", err)
	}
	close(b.gate)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := fresh(t).Embed(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "no embedder is configured") {
		t.Errorf("without an embedder: %v", err)
	}
}

func TestDamagedVectors(t *testing.T) {
	s := fresh(t)
	b := &bag{dims: 16}
	s.Use(b, b.space())
	for i := range 20 {
		save(t, s, Memory{Text: fmt.Sprint("fact number ", i), Workspace: "/w"})
	}
	embedNow(t, s)
	for _, damage := range []string{"UPDATE vector SET data = x'00' WHERE seq = 3", "UPDATE vector SET scale = 9e999 WHERE seq = 8", "UPDATE vector SET data = zeroblob(16) WHERE seq = 5", "UPDATE space SET probe = x''"} {
		if _, err := s.db.Exec(damage); err != nil {
			t.Fatal(err)
		}
	}
	s.indexes = nil
	found, err := s.Search(t.Context(), "fact number 8", 20, View{Workspace: "/w"})
	if err != nil || len(found) != 20 || found[0].Text != "fact number 8" {
		t.Errorf("found %q, %v", texts(found), err)
	}
	for _, m := range found {
		if math.IsNaN(m.Score) || math.IsInf(m.Score, 0) {
			t.Errorf("%q has the score %v", m.Text, m.Score)
		}
	}
	s.meaning.at = progress{}
	embedNow(t, s) // without a probe the vectors are not trusted
	if got := vectors(t, s); got != "20 of 16" {
		t.Errorf("there are %s", got)
	}
}

func TestAFullDiskWhileEmbedding(t *testing.T) {
	s := fresh(t)
	s.db.SetMaxOpenConns(1) // the bound is of a connection
	b := &bag{dims: maxDims}
	s.Use(b, b.space())
	for i := range 40 {
		save(t, s, Memory{Text: fmt.Sprint("fact number ", i), Workspace: "/w"})
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	if err := s.Embed(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "the disk is full")`, err)
	}
	if found, err := s.Search(t.Context(), "fact number 7", 1, View{Workspace: "/w"}); err != nil || texts(found) != "fact number 7" {
		t.Errorf("found %q, %v", texts(found), err)
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	embedNow(t, s)
	if got := vectors(t, s); got != fmt.Sprint("40 of ", maxDims) {
		t.Errorf("there are %s", got)
	}
}

func TestSignsFindTheNearest(t *testing.T) {
	k := &sketch{dims: 70}
	b := &bag{dims: 70}
	var all [][]float32
	for i := range 300 {
		v, err := b.Embed(t.Context(), []string{fmt.Sprint("word", i)}, false)
		if err != nil {
			t.Fatal(err)
		}
		u, err := unit(v[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
		k.put(int32(i), pack(u))
	}
	if c := pack(all[0]).dot(all[0]); math.Abs(float64(c)-1) > 0.01 {
		t.Errorf("a packed vector has the cosine %v with itself", c)
	}
	for _, i := range []int32{0, 63, 299} {
		near := k.near(all[i], 10, func(int32) bool { return true })
		if len(near) != 10 || near[0] != i {
			t.Errorf("nearest to %d are %v", i, near)
		}
		if near := k.near(all[i], 10, func(n int32) bool { return n != i }); slices.Contains(near, i) {
			t.Errorf("%d cannot be seen, and is found", i)
		}
	}
}
