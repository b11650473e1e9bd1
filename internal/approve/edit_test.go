package approve

import (
	"strings"
	"testing"
)

func TestAnEditIsShownAsADiff(t *testing.T) {
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n", 30) + "-----END OPENSSH PRIVATE KEY-----\n"
	for name, c := range map[string]struct {
		input map[string]any
		want  string
	}{
		"one edit": {map[string]any{"file_path": "/src/a.go", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree"},
			"change: @@ -1,3 +1,3 @@\n   one\n  -two\n  +2\n   three\nfile_path: /src/a.go\n"},
		"other names":  {map[string]any{"filePath": "a", "oldString": "x", "newString": "y"}, "change: @@ -1,1 +1,1 @@\n  -x\n  +y\nfilePath: a\n"},
		"an insertion": {map[string]any{"path": "a", "old_str": "", "new_str": "y\n"}, "change: @@ -0,0 +1,1 @@\n  +y\npath: a\n"},
		"several": {map[string]any{"file_path": "a", "edits": []any{
			map[string]any{"old_string": "x", "new_string": "y"}, map[string]any{"old_string": "1", "new_string": "2", "replace_all": true}}},
			"change: @@ -1,1 +1,1 @@\n  -x\n  +y\n  replace_all: true\n  @@ -1,1 +1,1 @@\n  -1\n  +2\nfile_path: a\n"},
		"nothing":      {map[string]any{"old_string": "x", "new_string": "x"}, "change: (nothing that is shown differs)\n"},
		"no edit":      {map[string]any{"command": "ls", "old_string": "x"}, "command: ls\nold_string: x\n"},
		"odd edits":    {map[string]any{"edits": []any{"x"}}, "edits: [\"x\"]\n"},
		"its own word": {map[string]any{"change": "c", "old_string": "x", "new_string": "y"}, "change: c\nnew_string: y\nold_string: x\n"},
		"escapes":      {map[string]any{"old_string": "x", "new_string": "\x1b[2Jy"}, "change: @@ -1,1 +1,1 @@\n  -x\n  +\\x1b[2Jy\n"},
	} {
		if got := shown(c.input); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
	if got := shown(map[string]any{"old_string": "x", "new_string": key}); strings.Contains(got, "b3Blb") || !strings.Contains(got, "are not shown, because they look like a credential") {
		t.Errorf("%s", got)
	}
}
