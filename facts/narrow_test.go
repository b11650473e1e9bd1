package facts_test

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// TestWhatMakesACallMilderIsReadExactly: a file for temporary things, a mount that is
// read-only, a pattern of awk and a drive are taken for such only where they are.
func TestWhatMakesACallMilderIsReadExactly(t *testing.T) {
	w := facts.World{Dir: "/home/u/project", Home: "/home/u"}
	for line, want := range map[string]func(hook.Fact) bool{
		"awk '#\"\nBEGIN{system(\"true ;/bin/rm -rf /opt/work #/x\")}'":                       deletes("/opt/work"),
		`awk '/[/]"/ {system("rm -rf /opt/work")}' f`:                                         deletes("/opt/work"),
		`sqlite3 /tmp/t.db "attach '/home/u/app.db' as a; drop table a.users"`:                dropsIn("local"),
		`sqlite3 /tmp/t.db '.open /opt/app.db' 'drop table users'`:                            dropsIn("local"),
		`sqlite3 -init /opt/x.sql /tmp/t.db 'drop table users'`:                               dropsIn("local"),
		`sqlite3 /tmp/t.db 'drop table users'`:                                                dropsIn("test"),
		`scp report.txt h:/srv/`:                                                              func(f hook.Fact) bool { return f.Does == "connect" && f.Host == "h" },
		`docker run -v /opt/readonly-data:/x a rm -rf /x/b`:                                   deletes("/opt/readonly-data/b"),
		`docker run --mount type=bind,source=/opt/x,target=/x,readonly=false a rm -rf /x/b`:   deletes("/opt/x/b"),
		`docker run --mount type=bind,source=/opt/x,target=/x,readonly a sh -c 'rm -rf /x/b'`: func(f hook.Fact) bool { return f.Does == "delete" && f.Remote == "container" },
		`docker run -v /opt/x:/x:ro,z a rm -rf /x/b`:                                          func(f hook.Fact) bool { return f.Does == "delete" && f.Remote == "container" },
	} {
		if got := facts.Shell(line, w); !slices.ContainsFunc(got, want) {
			t.Errorf("%s: got %+v", line, got)
		}
	}
}

func deletes(path string) func(hook.Fact) bool {
	return func(f hook.Fact) bool { return f.Does == "delete" && f.Path == path && f.Remote == "" }
}

func dropsIn(where string) func(hook.Fact) bool {
	return func(f hook.Fact) bool { return f.Does == "sql" && f.Verb == "drop" && f.Where == where }
}
