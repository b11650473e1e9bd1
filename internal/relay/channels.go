package relay

import (
	"context"
	"slices"
	"strings"
)

// Channel is a name that several agents listen to.
type Channel struct {
	Name    string   `json:"name"`    // without #
	Members []string `json:"members"` // Name, or *@machine for those that another machine has
}

// Channels gives all channels, by name.
func (s *Store) Channels(ctx context.Context) ([]Channel, error) {
	a := s.read(ctx)
	byKey := map[string]*Channel{}
	var k, name, who string
	add := func() error {
		if byKey[k] == nil {
			byKey[k] = &Channel{Name: name, Members: []string{}}
		}
		if who != "" {
			byKey[k].Members = append(byKey[k].Members, who)
		}
		return nil
	}
	err := a.each([]any{&k, &name, &who}, add, `SELECT channel.key, channel.name, coalesce(agent.name, '') FROM channel
		LEFT JOIN member ON member.channel = channel.key LEFT JOIN agent ON agent.key = member.agent ORDER BY channel.key, agent.key`)
	if err == nil {
		err = a.each([]any{&k, &name, &who}, add, "SELECT key, name, '*@' || machine FROM peer_channel ORDER BY key, machine")
	}
	if err != nil {
		return nil, s.explain("read", err)
	}
	all := make([]Channel, 0, len(byKey))
	for _, c := range byKey {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Channel) int { return strings.Compare(key(a.Name), key(b.Name)) })
	return all, nil
}

// JoinChannel makes an agent of this machine a member of a channel, which it makes
// if need be.
func (s *Store) JoinChannel(ctx context.Context, channel, agent string) error {
	name, err := Name(strings.TrimPrefix(channel, "#"))
	if err != nil {
		return err
	}
	return s.explain("changed", s.write(ctx, func(a access) error {
		member, err := a.knownAgent(agent)
		if err != nil {
			return err
		}
		if _, err := a.exec("INSERT INTO channel (key, name) VALUES (?,?) ON CONFLICT DO NOTHING", key(name), name); err != nil {
			return err
		}
		_, err = a.exec("INSERT INTO member (channel, agent) VALUES (?,?) ON CONFLICT DO NOTHING", key(name), member)
		return err
	}))
}

// LeaveChannel ends a membership; one that is not there has ended already. A channel
// without members is removed.
func (s *Store) LeaveChannel(ctx context.Context, channel, agent string) error {
	channel = strings.TrimPrefix(channel, "#")
	return s.explain("changed", s.write(ctx, func(a access) error {
		member, err := a.knownAgent(agent)
		if err != nil {
			return err
		}
		known, err := a.get([]any{new(int)}, "SELECT 1 FROM channel WHERE key = ?", key(channel))
		if !known || err != nil {
			all, more := a.strings("SELECT name FROM channel")
			return unknownOr(first(err, more), "channel", channel, nearest(channel, all))
		}
		if _, err := a.exec("DELETE FROM member WHERE channel = ? AND agent = ?", key(channel), member); err != nil {
			return err
		}
		_, err = a.exec("DELETE FROM channel WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM member WHERE channel = ?1)", key(channel))
		return err
	}))
}
