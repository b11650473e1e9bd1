package adapter_test

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/adapter"
)

func TestFoldersAreThoseUnderTheExactNames(t *testing.T) {
	for text, want := range map[string]adapter.Folders{
		`{}`:                                   {},
		`{"cwd":"/a","CWD":"/b","Cwd":"/c"}`:   {CWD: "/a"},
		`{"CWD":"/b"}`:                         {},
		`{"cwd":7,"directory":"/d"}`:           {CWD: "/d"},
		`{"cwd":"/a","cwd":"/b"}`:              {CWD: "/b"}, // the last of two counts, as everywhere
		`{"workspace_roots":["/r","/s"]}`:      {CWD: "/r", Roots: []string{"/r", "/s"}},
		`{"workspacePaths":["/r"],"cwd":"/a"}`: {CWD: "/a", Roots: []string{"/r"}},
		`{"workspace_roots":["",7,null,"/r"]}`: {CWD: "/r", Roots: []string{"/r"}},
		`{"workspace_roots":"/r"}`:             {},
	} {
		got, err := (&adapter.Call{Stdin: []byte(text)}).Folders()
		if err != nil || got.CWD != want.CWD || !slices.Equal(got.Roots, want.Roots) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{``, `[]`, `{`, `{"workspace_roots":["/a","vscode-remote://box/a"]}`, `{"workspace_roots":["file://box/a"]}`, `{"workspace_roots":["file:///%zz"]}`} {
		if got, err := (&adapter.Call{Stdin: []byte(text)}).Folders(); err == nil {
			t.Errorf("%s: got %+v, want err != nil", text, got)
		}
	}
}
