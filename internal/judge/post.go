package judge

import (
	"context"
	"errors"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/post"
)

// Post sends a message of a program that is no agent. The hooks of MessageSending and
// MessageSent are those of the user's configuration.
func (j *Judge) Post(ctx context.Context, source string, m relay.Message) (post.Posted, error) {
	if j.Relay.Open == nil {
		return post.Posted{}, errors.New("there are no messages here")
	}
	at, err := j.placeOf("", nil)
	if err != nil {
		return post.Posted{}, err
	}
	w, err := j.workspaces.openAt(ctx, j, at)
	if err != nil {
		return post.Posted{}, err
	}
	defer w.leave()
	store, err := j.openRelay(ctx)
	if err != nil {
		return post.Posted{}, err
	}
	if store == nil {
		return post.Posted{}, errors.New("the messages of agents cannot be opened; hookway status says why")
	}
	posted, err := post.Send(ctx, store, mailHooks{j, w, hook.Envelope{Agent: m.From, Source: source}, m.Hops}, m)
	if err == nil && j.Relay.Sent != nil {
		j.Relay.Sent(ctx)
	}
	return posted, err
}
