package config

import (
	"strings"
	"testing"
	"time"
)

func TestApprovalsAreTheUsersAndTheAdministrators(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "approvals: {hold: always, timeout: 1m, channels: [{ntfy: {url: 'https://ntfy.sh', topic: abc, token_file: t}}]}\n")
	s := w.load()
	a := s.Approvals
	if a.Hold != HoldAlways || a.Timeout != time.Minute || a.PIN {
		t.Errorf("got %+v, want a.Hold == HoldAlways and a.Timeout == time.Minute and !a.PIN", a)
	}
	if len(a.Channels) != 1 || a.Channels[0].Name != "ntfy" || a.Channels[0].Layer != LayerUser {
		t.Fatalf(`got %+v, want len(a.Channels) == 1 and a.Channels[0].Name == "ntfy" and a.Channels[0].Layer == LayerUser`, a.Channels)
	}
	if n := a.Channels[0].Ntfy; n.Answers != "abc-answers" || n.TokenFile != w.user("t") {
		t.Errorf(`got %+v, want n.Answers == "abc-answers" and n.TokenFile == w.user("t")`, n)
	}
	w.write(w.work("hookway.yaml"), "approvals: {hold: never}\n")
	s = w.load()
	if s.Approvals.Hold != HoldAlways || !strings.Contains(s.Problems.String(), "a workspace does not say who answers for you") {
		t.Errorf("%+v\n%s", s.Approvals, s.Problems)
	}
}

// Whoever breaks the file gets no answer through without the PIN.
func TestAMistakeSwitchesNoPINOff(t *testing.T) {
	for _, text := range []string{
		"approvals: {require: pin, hold: sometimes}\n",
		"approvals: {require: pin}\nhooks: 5\n",
		"approvals: {require: pin}\n\t}\n",
	} {
		w := newWorld(t)
		w.write(w.user("hookway.yaml"), text)
		if s := w.load(); !s.Approvals.PIN || len(s.Problems) == 0 {
			t.Errorf("%q: %+v\n%s", text, s.Approvals, s.Problems)
		}
	}
}

// A file that does not count may have required a PIN, in words that nobody has read.
func TestAFileThatDoesNotCountIsTold(t *testing.T) {
	for _, tt := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"hookway.yaml": "", "hookway.yml": "approvals: {require: pin}\n"}, "hookway.yml"},
		{map[string]string{"hookway.yaml": "hooks: 5\n"}, "hookway.yaml"},
		{map[string]string{"hookway.yaml": "approvals: {require: p\n\t}\n"}, "hookway.yaml"},
		{map[string]string{"hookway.yaml": "approvals: {hold: never}\n"}, ""},
	} {
		w := newWorld(t)
		w.write(w.work("hookway.yaml"), "hooks: 5\n")
		for name, text := range tt.files {
			w.write(w.user(name), text)
		}
		want := ""
		if tt.want != "" {
			want = w.user(tt.want)
		}
		if got := w.load().Approvals.Unread; got != want {
			t.Errorf("%v: %q, want %q", tt.files, got, want)
		}
	}
}

// What an administrator says comes first; a PIN and channels add up.
func TestManagedApprovalsComeFirst(t *testing.T) {
	read := func(text string) *approvalsSpec {
		t.Helper()
		f, problems := parse("f.yaml", []byte("approvals: "+text+"\n"), (&load{set: &Set{}}).known())
		if len(problems) > 0 {
			t.Fatalf("got %v, want len(problems) == 0", problems)
		}
		return f.approvals
	}
	const channel = ", channels: [{webhook: {url: 'https://example.com/a', secret_file: s}}]"
	above := read("{hold: never, require: pin" + channel + "}")
	a := Approvals{Hold: HoldAuto, Timeout: DefaultApprovalTimeout}
	a.take(above, LayerManaged, "/etc/hookway", nil)
	a.take(read("{hold: always, timeout: 1m"+channel+"}"), LayerUser, "/home/u", above)
	if a.Hold != HoldNever || a.Timeout != time.Minute || !a.PIN {
		t.Errorf("got %+v, want a.Hold == HoldNever and a.Timeout == time.Minute and a.PIN", a)
	}
	if len(a.Channels) != 2 || a.Channels[0].Name != "webhook" || a.Channels[1].Name != "user/webhook" {
		t.Errorf(`got %+v, want len(a.Channels) == 2 and a.Channels[0].Name == "webhook" and a.Channels[1].Name == "user/webhook"`, a.Channels)
	}
}
