package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/fakentfy"
)

// requirePIN adds to the configuration that a yes takes the PIN.
func (a *phoned) requirePIN() {
	a.t.Helper()
	file := filepath.Join(a.dir, "config", "hookway.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		a.t.Fatal(err)
	}
	write(a.t, file, "approvals: {require: pin, "+string(text[len("approvals: {"):]))
}

// Where a yes takes the PIN, a channel that was minted without it only refuses: also by a
// card that was sent before.
func TestAChannelMintedWithoutThePINOnlyRefuses(t *testing.T) {
	s := &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, s), "phone"))
	a.mint()
	a.start()
	before := a.ask("make deploy", 0)
	card := a.cards(s, "phone-asks", 1)[0]
	a.requirePIN()
	press(t, card, "Allow")
	now := a.ask("make destroy", 0)
	cards := a.cards(s, "phone-asks", 2)
	if n := len(cards[1].Actions); n != 1 || cards[1].Actions[0].Label != "Deny" {
		t.Errorf("%+v; want a card that can only be denied", cards[1].Actions)
	}
	press(t, cards[1], "Deny")
	a.becomes(now.Code, approve.Denied)
	if r := a.becomes(before.Code, approve.Waiting); r.By != "" {
		t.Errorf(`got %+v, want r.By == ""`, r)
	}
}

func TestAChannelMintedWithThePIN(t *testing.T) {
	s := &fakentfy.Server{}
	a := newPhoned(t, ntfyAt(serveNtfy(t, s), "phone"))
	a.requirePIN()
	file := config.ApprovalsFile{Getenv: a.Getenv, Managed: a.Managed}
	all, _, err := file.Read()
	if err == nil {
		err = a.ChangeMinted(t.Context(), func(m *Minted) error {
			m.MintChannel(all.Channels[0], Minter{By: "anna", PIN: true})
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	a.start()
	r := a.ask("make deploy", 0)
	press(t, a.cards(s, "phone-asks", 1)[0], "Allow")
	a.becomes(r.Code, approve.Allowed)
}

// A credential answers for as many equal calls as its program has seen; and with a yes only
// if the PIN was typed for it, where one takes it.
func TestACredentialAllowsAsManyCallsAsWereSeen(t *testing.T) {
	a := newPhoned(t, "")
	var plain, proven string
	err := a.ChangeMinted(t.Context(), func(m *Minted) error {
		plain, _ = m.MintCredential("desk", Minter{By: "anna"}, time.Hour)
		proven, _ = m.MintCredential("safe", Minter{By: "anna", PIN: true}, time.Hour)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		calls, want int
	}{{"none is said", 0, 1}, {"two", 2, 2}, {"more than wait", 9, 3}} {
		call := approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": c.name}, Kind: approve.KindAsk, Route: approve.RouteHold, Wait: time.Minute}
		var r approve.Request
		for _, call.Report = range []string{"1", "2", "3"} {
			if r, err = a.store.Ask(t.Context(), call, "here"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := (asksAPI{a.Home}).Answer(t.Context(), api.Answering{Code: r.Code, Asker: api.Asker{Credential: plain}, Yes: true, Calls: c.calls}); err != nil {
			t.Fatal(err)
		}
		pass := 0
		for _, call.Report = range []string{"1", "2", "3"} {
			if said, err := a.store.Use(t.Context(), call); err != nil {
				t.Fatal(err)
			} else if said != nil {
				pass++
			}
		}
		if pass != c.want {
			t.Errorf("%s: %d pass, want %d", c.name, pass, c.want)
		}
	}
	a.requirePIN()
	r := a.ask("make deploy", 0)
	if _, err := (asksAPI{a.Home}).Answer(t.Context(), api.Answering{Code: r.Code, Asker: api.Asker{Credential: plain}, Yes: true}); err == nil {
		t.Error("a credential that was minted without the PIN lets a call pass")
	}
	if r, err = (asksAPI{a.Home}).Answer(t.Context(), api.Answering{Code: r.Code, Asker: api.Asker{Credential: proven}, Yes: true}); err != nil || r.State != approve.Allowed {
		t.Errorf("got %+v, %v, want err == nil and r.State == approve.Allowed", r, err)
	}
}
