package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/visible"
	"github.com/hookway/hookway/wire/call"
)

// statusTime is how long a daemon may take to say how it is.
const statusTime = 5 * time.Second

func statusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the daemon: what it serves, and for how long",
		Long:  "Show the daemon: what it serves, and for how long. The exit code is 1 if none runs.",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), statusTime)
			defer cancel()
			v, _ := buildVersion()
			st, err := daemonStatus(ctx, a.getenv, v)
			switch {
			case errors.Is(err, daemon.ErrNone) && a.json:
				return errors.Join(a.print(map[string]any{"running": false}), &exit{code: exitFailure})
			case errors.Is(err, daemon.ErrNone):
				return errors.New("no daemon runs; the first event of an agent starts it, and so does: hookway serve")
			case err != nil:
				return err
			case a.json:
				return a.print(st)
			}
			showStatus(a, st, v)
			return nil
		},
	}
}

func daemonStatus(ctx context.Context, getenv func(string) string, version string) (daemon.Status, error) {
	at, err := call.Find(getenv)
	if err != nil {
		return daemon.Status{}, err
	}
	c, err := daemon.Dial(ctx, at.Socket)
	if err != nil {
		return daemon.Status{}, err
	}
	defer c.Close()
	st, err := c.Status(ctx, version)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the daemon does not say how it is: it hangs; hookway stop ends it: %w", err)
	}
	return st, err
}

func showStatus(a *app, st daemon.Status, ours string) {
	out := visible.Writer{To: a.out}
	fmt.Fprintf(out, "hookway %s runs (pid %d) at %s\n", st.Version, st.PID, st.Socket)
	fmt.Fprintf(out, "  for %v, idle for %v; %s\n", ago(st.UptimeS), ago(st.IdleS), idleLimit(st.IdleLimitS))
	fmt.Fprintf(out, "  %s, %s, %s, %d under way, %.1f MiB\n", visible.Count(int(st.Requests), "request"), visible.Count(len(st.Workspaces), "workspace"),
		visible.Count(len(st.Sessions), "session"), st.Running, float64(max(st.Resident, st.GoMemory))/(1<<20))
	for _, w := range st.Workspaces {
		fmt.Fprintf(out, "  %s\n", w)
	}
	if st.LeftBehind > 0 {
		fmt.Fprintf(out, "  %s that hooks of Claude Code left running\n", visible.Count(st.LeftBehind, "program"))
	}
	if st.Page != "" {
		fmt.Fprintf(out, "  page: %s\n", st.Page)
	}
	if st.Relay != nil {
		fmt.Fprintf(out, "  relay: %s\n", relayLine(*st.Relay))
	}
	for _, w := range st.Webhooks {
		fmt.Fprintf(out, "  webhook %s\n", webhookLine(w))
	}
	for _, c := range st.Channels {
		fmt.Fprintf(out, "  channel %s of approvals is down: %s\n", c.Name, c.Problem)
	}
	if st.Version != ours {
		a.warn("the daemon is hookway %s, this is %s; hookway stop ends it, and the next event starts this one", st.Version, ours)
	}
	if st.Replaced {
		a.warn("%s was replaced; the daemon makes room for it as soon as nothing runs", st.Executable)
	}
}

func ago(seconds int64) time.Duration { return time.Duration(seconds) * time.Second }

func idleLimit(seconds int64) string {
	if seconds == 0 {
		return "it stays until it is stopped"
	}
	return fmt.Sprintf("it ends after %v without a call", ago(seconds))
}

// machines lists those that are linked, or are not, with when they were last heard.
func machines(before string, heard []daemon.Contact, linked bool) string {
	var names []string
	for _, h := range heard {
		if h.Linked == linked {
			names = append(names, fmt.Sprintf("%s (last heard %s)", field(h.Machine, 40), lately(h.At)))
		}
	}
	return after(before, strings.Join(names, ", "))
}

// lately says how long ago something was.
func lately(at time.Time) string {
	return max(0, time.Since(at)).Round(time.Second).String() + " ago"
}

// relayLine says how the link to other machines stands.
func relayLine(r daemon.RelayStatus) string {
	text := r.Mode
	switch {
	case r.Mode == "off" && r.Problem == "":
		text = "not linked to other machines"
	case r.Mode != "off":
		text += " at " + field(r.Machine, 40)
		if !r.Connected {
			text += ", not connected"
		}
		text += machines(", linked to ", r.Heard, true) + machines(", not linked to ", r.Heard, false)
		text += fmt.Sprintf(", %d waiting", r.Waiting)
	}
	return text + after("; ", r.Problem)
}

// webhookLine says how a webhook stands.
func webhookLine(w daemon.WebhookStatus) string {
	text := []string{fmt.Sprintf("%d waiting", w.Waiting)}
	if w.Since != nil {
		text = append(text, "does not answer since "+time.Since(*w.Since).Round(time.Second).String(),
			"tried again in "+max(0, time.Until(*w.Next)).Round(time.Second).String())
	}
	if w.Dropped > 0 {
		text = append(text, fmt.Sprintf("%d dropped", w.Dropped))
	}
	if w.Refused > 0 {
		text = append(text, fmt.Sprintf("%d refused", w.Refused))
	}
	return hook.LogLine(field(w.ID, 120) + ": " + strings.Join(text, ", ") + after("; ", w.Problem))
}
