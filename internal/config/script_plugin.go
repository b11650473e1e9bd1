package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hookway/hookway/internal/strict"
)

// fits checks the settings of a plugin against what its openclaw.plugin.json says of
// them, and fills in what has a default.
func (l *scripts) fits(f *found) bool {
	if f.script.bundle.Plugin == nil || f.script.bundle.Plugin.Schema == nil {
		return true
	}
	settings, err := checkSettings(f.script.bundle.Plugin.Schema, f.spec.settings)
	if err == nil {
		f.script.program.Configure(settings)
		return true
	}
	at := f.spec.handler.script.Node
	if n := f.spec.keys["config"]; n != nil {
		at = n
	}
	l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: at.Line, Column: at.Column, Hook: f.spec.id,
		Message: strict.Line("config: " + err.Error()), Hint: "the plugin's openclaw.plugin.json says what it takes; write config: beside script:"})
	return false
}

// checkSettings gives the settings with their defaults.
func checkSettings(schema, settings json.RawMessage) (json.RawMessage, error) {
	if settings == nil {
		settings = json.RawMessage("{}")
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return settings, nil // of a dialect that we do not read: the plugin looks itself
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: false})
	if err != nil {
		return settings, nil
	}
	var value map[string]any
	if err := json.Unmarshal(settings, &value); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if err := resolved.ApplyDefaults(&value); err != nil {
		return settings, nil
	}
	if err := resolved.Validate(value); err != nil {
		return nil, errors.New(plainly(err))
	}
	return json.Marshal(value)
}

var schemaPath = regexp.MustCompile(`validating (root|/[^:]*): `)

// plainly is a message of the validator without the way to the rule.
func plainly(err error) string {
	return strict.Clip(strings.TrimSpace(schemaPath.ReplaceAllString(err.Error(), "")))
}

// twice warns of a plugin that is there already: both run.
func (l *asker) twice(f *found) {
	if f.script.bundle.Plugin == nil || f.script.bundle.Plugin.ID == "" {
		return
	}
	id := f.script.bundle.Plugin.ID
	if slices.ContainsFunc(l.plugins, func(other plugged) bool { return other.id == id && other.path != f.script.path }) {
		i := slices.IndexFunc(l.plugins, func(other plugged) bool { return other.id == id && other.path != f.script.path })
		l.set.Warn(f.place(), f.spec.id, fmt.Sprintf("its plugin has the id %s, as that of %s (%s) has; both run", id, l.plugins[i].hook, l.plugins[i].path), "take one of them out if they are the same plugin")
	}
	l.plugins = append(l.plugins, plugged{id, f.spec.id, f.script.path})
}
