package api

import (
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/delivery"
)

// What the tests of the description of HTTP look at.

// PathsAndMethods are what can be asked for.
func PathsAndMethods() map[string][]string {
	all := map[string][]string{}
	for path, methods := range new(Server).paths() {
		all[path] = slices.Sorted(maps.Keys(methods))
	}
	all[gatewayPath+"{name}"] = []string{http.MethodPost}
	return all
}

// FiringFields are the members of the body of POST /v1/events.
func FiringFields() []string { return slices.Sorted(maps.Keys(new(fireRequest).fields())) }

// SendingFields are the members of the body of POST /v1/messages.
func SendingFields() []string { return slices.Sorted(maps.Keys(new(sendRequest).fields())) }

// AnsweringFields are the members of the body of POST /v1/approvals/{code}.
func AnsweringFields() []string { return slices.Sorted(maps.Keys(new(answerRequest).fields())) }

// TakingFields are the members of the body of POST /v1/inbox/{agent}/take.
func TakingFields() []string { return slices.Sorted(maps.Keys(new(takeRequest).fields())) }

// ExplainingFields are the members of the body of POST /v1/explain.
func ExplainingFields() []string { return slices.Sorted(maps.Keys(new(explainRequest).fields())) }

// RememberingFields are the members of the body of POST /v1/memories.
func RememberingFields() []string { return slices.Sorted(maps.Keys(new(memoryRequest).fields())) }

// SwitchingFields are the members of the body of POST /v1/guards.
func SwitchingFields() []string { return slices.Sorted(maps.Keys(new(guardsRequest).fields())) }

// HandedOut are what messages are that are taken.
var HandedOut, Confirmed = reflect.TypeFor[takenMessages](), reflect.TypeFor[delivery.Confirmed]()

// ProblemTypes are the types of problems, each with its status.
func ProblemTypes() map[string]int {
	all := map[string]int{}
	for kind, k := range kinds {
		all[problemType+kind] = k.status
	}
	return all
}

// DecodeFire reads a body; event is the name in it.
func DecodeFire(body []byte) (event string, err error) {
	r, err := decodeFire(body)
	if err != nil {
		return "", err
	}
	return r.Event, nil
}

// Answer answers a request in a daemon.
func Answer(in daemon.Host, w http.ResponseWriter, r *http.Request) {
	d := New(Config{})
	d.host = in
	d.handler().ServeHTTP(w, r)
}
