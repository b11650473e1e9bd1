package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/wire/call"
)

// recordTime bounds how long an answer waits for its record: a disk that hangs
// must not turn a refusal into a timeout, which agents take for a yes.
const recordTime = time.Second

// untaken has it put on record if an answer that decides something does not get to the
// agent, which then does as if it had none: who was to bring it was killed, or had no
// time left. Nil: the answer decides nothing.
func (r *request) untaken(record audit.Record) func(error) {
	decided := cmp.Or(record.Answer, record.Action)
	if decided == hook.ActionContinue.String() && len(record.Changes) == 0 && record.Inject == "" && !r.one.Used() && r.yes.used == nil {
		return nil
	}
	return func(err error) {
		var gaveUp *call.GaveUpError
		if err == nil || errors.As(err, &gaveUp) && gaveUp.Policy == decided { // it answered the same
			return
		}
		why := err.Error()
		if gaveUp != nil {
			why += fmt.Sprintf("; its own answer is %q", gaveUp.Policy)
			if gaveUp.Policy == call.PolicyBlock {
				why += r.giveBack()
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), recordTime)
		defer cancel()
		r.put(ctx, audit.NewUntaken(record, why))
	}
}

// draft begins to make the event ready to be kept.
func (r *request) draft() *audit.Draft {
	if r.Draft == nil {
		return nil
	}
	return r.Draft(r.ev, r.w.set.Settings.Redact)
}

// putDrafted is put with what was made ready of the event.
func (r *request) putDrafted(ctx context.Context, record audit.Record, d *audit.Draft) {
	record.Hide = r.w.set.Settings.Redact
	record.Drafted(d)
	r.put(ctx, record)
}

// put writes a record. A record that cannot be written holds up no answer.
func (r *request) put(ctx context.Context, record audit.Record) {
	defer func() {
		if p := recover(); p != nil {
			r.log(fmt.Sprintf("panic while %s was put on record: %v\n%s", record.Event, p, debug.Stack()))
		}
	}()
	if r.w != nil {
		record.Workspace = r.w.Folder
		record.Hide = r.w.set.Settings.Redact
	}
	for _, text := range append(record.Degraded, record.Warnings...) {
		r.log(text)
	}
	if r.Record == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	if err := r.Record(ctx, record); err != nil {
		r.log(fmt.Sprintf("%s of session %s is not on record: %v", record.Event, record.Session, err))
	}
}

// refuse answers when there is no outcome. A call that is held when the daemon ends is
// judged elsewhere.
func (r *request) refuse(err error) call.Reply {
	if ending := new(endingError); errors.As(err, &ending) && r.Continues == "" {
		return call.Reply{Err: ending.Error()}
	}
	reason := hook.LogLine("hookway could not decide: " + err.Error())
	r.log(reason)
	if r.delivery != nil {
		r.delivery.Refused()
	}
	in := r.in
	reply := call.Refuse(in.Agent, in.Event, in.Stdin, in.Policy, reason)
	record := audit.Record{Time: time.Now(), Event: in.Event, Native: in.Event, Agent: in.Agent, Source: in.Agent, CWD: in.Dir, DurationMS: float64(time.Since(r.began)) / 1e6}
	if r.ev != nil {
		none := hook.Outcome[any]{Verdict: hook.Verdict{Event: r.ev.Info().Name}, Payload: r.ev.Body()}
		record = audit.FromOutcome(r.ev, &none, time.Since(r.began))
	} else if record.Event == "" {
		record.Event = call.EventName(in.Stdin)
	}
	record.Failure, record.Action = reason, refusedAs(reply, in)
	if record.Action == hook.ActionBlock.String() {
		record.Failure += r.giveBack()
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.left())
	defer cancel()
	r.put(ctx, record)
	reply.Sent = r.untaken(record)
	return reply
}

// leastTime is what a record of a refusal is given when there is no time left: it
// says why there was no decision.
const leastTime = 50 * time.Millisecond

// left is how long a refusal may wait for its record. The other half of the time
// is for the way back.
func (r *request) left() time.Duration {
	if r.in.Timeout <= 0 {
		return recordTime
	}
	return max((r.in.Timeout-time.Since(r.began))/2, leastTime)
}

// refusedAs says what a refusal does: it differs by event and policy.
func refusedAs(reply call.Reply, in *call.Request) string {
	pass := call.NoOpinion(in.Agent, in.Event)
	if reply.ExitCode == pass.ExitCode && string(reply.Stdout) == string(pass.Stdout) {
		return hook.ActionContinue.String()
	}
	return hook.ActionBlock.String()
}
