package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
)

// laterID is what the hook is called that tells them.
const laterID = "claude:later"

// Unheard keeps for a session's next event what the steps of a stop would have its
// agent go on for: it stopped all the same.
func (s *Set) Unheard(session string, steps []hook.Step) error {
	for _, step := range steps {
		told := func(h Hook) bool { return h.ID == step.Hook && h.name == laterID }
		if step.Action != hook.ActionBlock || session == "" || !slices.ContainsFunc(s.Hooks, told) {
			continue
		}
		if err := s.laters().Add(session, claudehooks.ForStop, step.Reason); err != nil {
			return fmt.Errorf("what hooks said in the background cannot be kept for the agent's next event: %w", err)
		}
	}
	return nil
}

func (s *Set) laters() claudehooks.Texts {
	return claudehooks.Texts{Dir: filepath.Join(s.stateDir, "claude-later")}
}

// laterHook adds the hook that tells agents what imported hooks say in the background.
func (l *loader) laterHook() {
	for i := range l.set.Hooks {
		h := &l.set.Hooks[i]
		if h.Profile.Name != hook.ProfileClaude.Name || h.Lane != hook.Observe || h.State != Active {
			continue
		}
		options := []hook.Option{hook.Origin(h.Origin), hook.Timeout(memoryTimeout), hook.Priority(hook.DefaultPriority + 1), hook.Matching(hook.Match{Not: &hook.Match{Source: claudehooks.Readers}})}
		for _, info := range claudehooks.ToldAt {
			options = append(options, hook.For(info.Name))
		}
		told := Hook{Hook: hook.New("", claudehooks.TellLater{Texts: l.builder.laters()}, options...), State: Active, Layer: h.Layer, File: h.File, Kind: "command", Command: "hookway",
			Description: "tells agents what hooks in the background have said", name: laterID, source: h.source, rank: h.rank, mark: laterID + l.stateDir}
		l.set.Hooks = append(l.set.Hooks, told)
		return
	}
}

func (l *builder) laters() claudehooks.Texts { return l.set.laters() }
