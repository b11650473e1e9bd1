package relay

import (
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// hold refuses what the limits do not let pass.
func (a access) hold(m *Message, to target) error {
	limits := a.s.limits
	if m.Hops > limits.Hops {
		return &LimitError{"hops", limits.Hops, fmt.Sprintf("hooks have passed the message on %d times, and may %d times: two of them may send it to and fro", m.Hops, limits.Hops)}
	}
	if m.Hops < 0 {
		return &refusal{"a message cannot have been passed on less than never"}
	}
	if err := a.holdRate(m); err != nil {
		return err
	}
	if to.agent == "" {
		return a.holdChannel(m, to)
	}
	if err := a.holdFull(to); err != nil {
		return err
	}
	return a.holdPair(m.Agent, key(m.From), m.From, half(to.agent, to.machines[0]), to.name)
}

// holdRate bounds how much an agent sends.
func (a access) holdRate(m *Message) error {
	if !m.Agent || a.s.limits.PerMinute == noLimit {
		return nil
	}
	var n int
	var oldest int64
	since := a.s.now().Add(-time.Minute)
	_, err := a.get([]any{&n, &oldest}, "SELECT count(*), coalesce(min(kept), 0) FROM (SELECT kept FROM message WHERE sender = ? AND kept > ? AND machine = '' AND by_agent ORDER BY kept DESC LIMIT ?)",
		key(m.From), sqlite.Micros(since), a.s.limits.PerMinute)
	if err != nil || n < a.s.limits.PerMinute {
		return err
	}
	wait := sqlite.Moment(oldest).Sub(since).Round(time.Second)
	who := m.From + " has"
	if m.Hook {
		who = "for " + m.From + ", hooks have"
	}
	return &LimitError{"per_minute", n, fmt.Sprintf("%s sent %d messages within a minute, which is as many as an agent may: wait %s, and put more into one message", who, n, max(wait, time.Second))}
}

// holdFull bounds what waits for an agent. Of another machine's agent it is known
// only what has not got there.
func (a access) holdFull(to target) error {
	var n int
	var err error
	if machine := to.machines[0]; machine == "" {
		_, err = a.get([]any{&n}, "SELECT waiting FROM agent WHERE key = ?", to.agent)
	} else {
		_, err = a.get([]any{&n}, "SELECT count(*) FROM (SELECT 1 FROM delivery WHERE machine = ? AND agent = ? AND machine <> '' AND state = 0 LIMIT ?)", machine, to.agent, a.s.limits.Inbox)
	}
	if err == nil && n >= a.s.limits.Inbox {
		err = &FullError{Agent: to.name, N: n}
	}
	return err
}

// half is an agent as the other half of a pair.
func half(agent, machine string) string {
	if machine == "" {
		return agent
	}
	return agent + "@" + machine
}

// holdPair counts how often two agents answer each other, and ends it. A message of
// a person to one of them begins the count anew.
func (a access) holdPair(byAgent bool, from, fromName, to, toName string) error {
	if !byAgent {
		return a.forgetPairs(to)
	}
	low, high := min(from, to), max(from, to)
	var turns int
	var last string
	if _, err := a.get([]any{&turns, &last}, "SELECT turns, last FROM pair WHERE a = ? AND b = ?", low, high); err != nil {
		return err
	}
	if last != from {
		turns++
	}
	if turns > a.s.limits.PingPong {
		return &LimitError{"ping_pong", a.s.limits.PingPong, fmt.Sprintf("%s and %s have answered each other %d times without a person: stop here, and ask your user how to go on", fromName, toName, a.s.limits.PingPong)}
	}
	_, err := a.exec("INSERT OR REPLACE INTO pair (a, b, turns, last) VALUES (?,?,?,?)", low, high, turns, from)
	return err
}

// forgetPairs begins the counts of an agent anew, and those of its channels.
func (a access) forgetPairs(agent string) error {
	_, err := a.exec("DELETE FROM pair WHERE "+pairsOf, agent)
	return err
}

// pairsOf are the counts that an agent has a part in.
const pairsOf = "(a IN (?1, '*') OR b = ?1 OR a IN (SELECT '#' || channel FROM member WHERE agent = ?1))"

// holdChannel counts what agents say in a channel, or to all, while no person says
// anything: how often another one speaks than before, for each that listens.
func (a access) holdChannel(m *Message, to target) error {
	room, members := "#"+to.channel, "SELECT count(*) FROM member WHERE channel = ?1"
	if to.channel == "" {
		room, members = "*", "SELECT count(*) FROM agent WHERE ?1 = ''"
	}
	if !m.Agent {
		_, err := a.exec("DELETE FROM pair WHERE a = ?", room)
		return err
	}
	var turns, all int
	var last string
	if _, err := a.get([]any{&turns, &last}, "SELECT turns, last FROM pair WHERE a = ? AND b = ''", room); err != nil {
		return err
	}
	if _, err := a.get([]any{&all}, members, to.channel); err != nil {
		return err
	}
	if last != key(m.From) {
		turns++
	}
	if most := a.s.limits.PingPong * max(all, 2); turns > most && a.s.limits.PingPong != noLimit {
		return &LimitError{"ping_pong", most, fmt.Sprintf("the agents have answered each other %d times in %s without a person: stop here, and ask your user how to go on", most, m.To)}
	}
	_, err := a.exec("INSERT OR REPLACE INTO pair (a, b, turns, last) VALUES (?,'',?,?)", room, turns, key(m.From))
	return err
}
