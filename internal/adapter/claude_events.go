package adapter

import (
	"encoding/json"
	"fmt"
)

// claudeNative are the events of Claude Code that have no row in hookway's
// table. Hooks reach them under these names, with their raw payload.
var claudeNative = []string{
	"Setup", "InstructionsLoaded", "UserPromptExpansion", "PostToolBatch", "MessageDisplay", "StopFailure",
	"PreModelSwitch", "PostModelSwitch", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult",
	"ConfigChange", "CwdChanged", "FileChanged", "DirectoryAdded", "WorktreeCreate", "WorktreeRemove",
}

// NativeEvents lists the events of all agents that have no row in hookway's table.
func NativeEvents() []string { return append([]string(nil), claudeNative...) }

// CWD reads the agent's working directory out of its native event, so that the
// right workspace is found before the event is decoded. "" means it says none.
func CWD(stdin []byte) (string, error) {
	var base struct {
		CWD string `json:"cwd"`
	}
	if err := json.Unmarshal(stdin, &base); err != nil {
		return "", fmt.Errorf("stdin is no JSON object: %w", err)
	}
	return base.CWD, nil
}
