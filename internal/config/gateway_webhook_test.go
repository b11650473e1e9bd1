//go:build unix

package config

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/logline"
)

// TestAWebhookKeepsWhatItIsToBeTold: from its file, through the spool, to its server.
func TestAWebhookKeepsWhatItIsToBeTold(t *testing.T) {
	w, told, asked := newWorld(t), newListener(t, 0, "thanks"), newListener(t, 0, "")
	w.write(w.user("hookway.yaml"), `gateway:
  webhooks:
    - {url: '`+told.URL+`/?key=hidden', on: message-sent, allow_private: true, timeout: 7s, max_retries: 2}
    - {id: gate, url: '`+asked.URL+`', on: MessageSent, lane: guard, allow_private: true}
    - {id: ci, url: '`+told.URL+`', on: Stop, allow_private: true}
`)
	s := spool.New(t.TempDir(), logline.New(func(line string) { t.Error(line) }))
	opts := w.options()
	opts.Webhooks = s
	set, err := Load(context.Background(), opts)
	w.must(err)
	all := set.Told()
	var ids []string
	for id, target := range all.Targets {
		ids = append(ids, id)
		if target.Webhook != (spool.Webhook{Place: w.user(""), ID: id}) {
			t.Errorf("got %+v, want %+v", target.Webhook, (spool.Webhook{Place: w.user(""), ID: id}))
		}
	}
	slices.Sort(ids)
	if len(ids) != 2 || ids[0] != "ci" || !strings.HasPrefix(ids[1], told.URL+"/#") {
		t.Fatalf("%v of %q", ids, all.Place)
	} else if all.Place != w.user("") || all.Broken {
		t.Fatalf("%v of %q", ids, all.Place)
	}
	if got, want := all.Targets[ids[1]].Policy, (spool.Policy{Timeout: 7 * time.Second, Tries: 3}); got != want {
		t.Errorf("%+v; want %+v", got, want)
	}
	if got := all.Targets["ci"].Policy; got != (spool.Policy{}) {
		t.Errorf("without words about it: %+v", got)
	}
	e := fill(t, set)
	_, err = hook.Fire(context.Background(), e, hook.MessageSent, &hook.Envelope{}, hook.Delivery{Message: hook.Message{Content: "hi"}, Success: true})
	w.must(err)
	<-told.came
	w.must(e.Close(context.Background()))
	w.must(set.Close())
	w.must(s.Close())
	if len(told.bodies) != 1 || len(asked.bodies) != 1 || !strings.Contains(told.bodies[0], `"content":"hi"`) {
		t.Errorf("told: %v, asked: %v", told.bodies, asked.bodies)
	}
}

// TestAWebhookWithoutAnIDIsKnownByItsURL: what waits for it must not go to another one
// that takes its place in the list.
func TestAWebhookWithoutAnIDIsKnownByItsURL(t *testing.T) {
	w := newWorld(t)
	s := spool.New(t.TempDir(), nil)
	load := func(webhooks string) (ids []string) {
		w.write(w.user("hookway.yaml"), "gateway:\n  webhooks:\n"+webhooks)
		opts := w.options()
		opts.Webhooks = s
		set, err := Load(context.Background(), opts)
		w.must(err)
		for id := range set.Told().Targets {
			ids = append(ids, id)
		}
		w.must(set.Close())
		slices.Sort(ids)
		return ids
	}
	const one, two = "    - {url: 'https://example.com/a?key=1', on: Stop}\n", "    - {url: 'https://example.com/a?key=2', on: Stop}\n"
	first := load(one + two)
	if again := load(two + one); len(first) != 2 || !slices.Equal(first, again) || strings.Contains(first[0], "key") {
		t.Errorf("%v, and in the other order %v", first, again)
	}
	if alone := load(two); len(alone) != 1 || !slices.Contains(first, alone[0]) {
		t.Errorf("one alone is %v", alone)
	}
}

// TestWebhooksAtOneURLAreToldApart: what waits for one must not be signed with the secret
// of another.
func TestWebhooksAtOneURLAreToldApart(t *testing.T) {
	w, told := newWorld(t), newListener(t, 0, "")
	w.write(w.user("hookway.yaml"), `gateway:
  webhooks:
    - {url: '`+told.URL+`', on: Stop, allow_private: true, headers: {X-Who: first}}
    - {url: '`+told.URL+`', on: MessageSent, allow_private: true, headers: {X-Who: second}}
    - {id: third, url: '`+told.URL+`', on: SessionEnd, allow_private: true}
`)
	s := spool.New(t.TempDir(), logline.New(func(line string) { t.Error(line) }))
	opts := w.options()
	opts.Webhooks = s
	set, err := Load(context.Background(), opts)
	w.must(err)
	if all := set.Told().Targets; len(all) != 3 {
		t.Errorf("they are %v", all)
	}
	w.must(set.Close())
	w.must(s.Close())
}
