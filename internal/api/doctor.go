package api

import (
	"context"
	"net/http"
	"time"

	"github.com/hookway/hookway/internal/judge"
)

// Surroundings is what hooks are surrounded by: folders, agents, and what is wrong.
type Surroundings interface {
	// Folders gives the folders that are known to have hooks, or to have had events.
	Folders(ctx context.Context) ([]Folder, error)

	// Describe adds to a list of hooks what is known of them besides their files.
	Describe(ctx context.Context, cwd string, list judge.Listing, to *judge.Document)

	// Doctor gives what hookway doctor finds. It may be half a minute old.
	Doctor(ctx context.Context, cwd string) (Examined, error)
}

// Folder is one that has hooks, or had events.
type Folder struct {
	Path    string    `json:"path"`
	Trusted bool      `json:"trusted"` // the user has said once that its hooks may run
	Last    time.Time `json:"last,omitzero"`
}

// Examined is what hookway doctor finds.
type Examined struct {
	At       time.Time         `json:"at"`
	Agents   []ExaminedAgent   `json:"agents"`
	Sections []ExaminedSection `json:"sections"` // of the rest
}

// ExaminedAgent is what is found about one agent.
type ExaminedAgent struct {
	Agent     string    `json:"agent"`
	Title     string    `json:"title"`
	Installed bool      `json:"installed"` // hookway is asked by it
	Version   string    `json:"version"`
	Findings  []Finding `json:"findings"`
}

// ExaminedSection is what is found about something else.
type ExaminedSection struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Findings []Finding `json:"findings"`
}

// Finding is one thing that was looked at.
type Finding struct {
	Level   string `json:"level"` // ok, note, warn or fail
	Text    string `json:"text"`
	Mend    string `json:"mend"`    // what to do about it, in words
	Command string `json:"command"` // what mends it, if a command does
}

// folders answers GET /v1/folders.
func (d *Server) folders(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	list, err := d.Views.Folders(r.Context())
	if err != nil {
		return 0, err
	}
	if list == nil {
		list = []Folder{}
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"folders": list})
	return 0, nil
}

// doctor answers GET /v1/doctor.
func (d *Server) doctor(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "agent", "cwd")
	if err != nil {
		return 0, err
	}
	if err := isFolder(q.Get("cwd")); err != nil {
		return 0, err
	}
	found, err := d.Views.Doctor(r.Context(), q.Get("cwd"))
	if err != nil {
		return 0, err
	}
	if name := q.Get("agent"); name != "" {
		one := []ExaminedAgent{}
		for _, a := range found.Agents {
			if a.Agent == name {
				one = append(one, a)
			}
		}
		found.Agents, found.Sections = one, []ExaminedSection{}
	}
	writeJSON(w, "application/json", http.StatusOK, found)
	return 0, nil
}
