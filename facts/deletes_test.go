package facts_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// spellings all delete, empty or move away something below ~/work, some in ways that
// show only when they run.
var spellings = []string{
	`rm -rf ~/work`,
	`rm -rf "$HOME"/work/x`,
	`rm -rf ${HOME}/wo""rk`,
	`r''m -r ~/work/x`,
	`\rm -f ~/work/a.txt`,
	`/bin/rm ~/work/a.txt`,
	`command rm ~/work/a.txt`,
	`env -i rm ~/work/a.txt`,
	`sudo rm -rf ~/work`,
	`nice -n 5 timeout 3 rm -rf ~/work`,
	`cd ~/work && rm a.txt`,
	`cd ~; cd work; rm -rf x`,
	`pushd ~/work >/dev/null; rm a.txt; popd`,
	`(cd ~/work; rm a.txt)`,
	`cd ~/work/x/.. && rm -f ./a.txt`,
	`D=~/work; rm -rf $D/x`,
	`A=wo B=rk; rm -rf ~/$A$B`,
	`eval "rm -rf ~/work"`,
	`eval $(echo rm -rf ~/work)`,
	`bash -c 'rm -rf ~/work'`,
	`sh -c "cd ~/work; rm a.txt"`,
	`bash <<< 'rm -rf ~/work'`,
	"bash <<EOF\nrm -rf ~/work\nEOF",
	`echo 'rm -rf ~/work' | sh`,
	`echo cm0gLXJmIH4vd29yaw== | base64 -d | sh`,
	`printf '\162m -rf ~/work' | bash`,
	`$'\x72m' -rf ~/work`,
	`f() { rm -rf "$1"; }; f ~/work`,
	`alias d='rm -rf'; d ~/work`,
	`for d in ~/work/x ~/work/a.txt; do rm -rf "$d"; done`,
	`ls ~/work | xargs -I{} rm ~/work/{}`,
	`echo ~/work/a.txt | xargs rm`,
	`find ~/work -delete`,
	`find ~/work -type f -exec rm {} +`,
	`find ~ -name a.txt -delete`,
	`find ~/work -name '*.txt' -print0 | xargs -0 rm -f`,
	`unlink ~/work/a.txt`,
	`rmdir ~/work/x`,
	`shred -u ~/work/a.txt`,
	`mv ~/work /tmp/gone`,
	`mv ~/work/a.txt /tmp/`,
	`: > ~/work/a.txt`,
	`truncate -s 0 ~/work/a.txt`,
	`cp /dev/null ~/work/a.txt`,
	`git -C ~/work clean -fdx`,
	`cd ~/work && git clean -fdx`,
	`cd ~/work && git rm -r x`,
	`git -C ~/work rm -f a.txt`,
	`cd ~/work && git mv a.txt ../other/`,
	`rsync -a --delete /tmp/empty/ ~/work/`,
	`python3 -c "import shutil, os; shutil.rmtree(os.path.expanduser('~/work'))"`,
	`python3 -c "import os; os.remove('$HOME/work/a.txt')"`,
	`python3 - <<'E'` + "\nimport pathlib\npathlib.Path.home().joinpath('work','a.txt').unlink()\nE",
	`node -e "require('fs').rmSync(process.env.HOME + '/work', {recursive: true})"`,
	`perl -e 'unlink glob("~/work/*")'`,
	`ruby -e 'require "fileutils"; FileUtils.rm_rf(Dir.home + "/work")'`,
	`php -r 'unlink(getenv("HOME")."/work/a.txt");'`,
	`awk 'BEGIN { system("rm -rf ~/work") }'`,
	`vim -c ':!rm -rf ~/work' -c ':q'`,
	`tar --remove-files -cf /tmp/a.tar ~/work`,
	`zip -rm /tmp/a.zip ~/work`,
	`rm -rf ~`,
	`rm -rf ~/*`,
	`rm -rf ~/w*`,
	`rm -rf ~/{work,other}`,
	`rm -rf ~/wor[k]`,
	`rm -rf ~/link/`,
	`rm ~/link/a.txt`,
	`ln -s ~/work /tmp/l; rm -rf /tmp/l/`,
	`cd ~/link && rm a.txt`,
	`rm -rf ~/other/../work`,
	`rm "$(ls -d ~/work/*)"`,
	`rm -rf "$TARGET"`,
	`while read f; do rm "$f"; done < list`,
	`sh ~/other/clean.sh`,
	`make -C ~/other clean`,
	`busybox rm -rf ~/work`,
	`ssh localhost rm -rf ~/work`,
	`install -m 644 /dev/null ~/work/a.txt`,
	`trash ~/work/a.txt`,
	`gio trash ~/work/a.txt`,
	`trap 'rm -rf ~/work' EXIT`,
	`(sleep 1; rm -rf ~/work) &`,
	`nohup rm -rf ~/work &`,
	`rm -rf -- ~/work`,
	`ls && rm -rf ~/work || true`,
	`if true; then rm -rf ~/work; fi`,
	`case x in x) rm -rf ~/work;; esac`,
	`[ -d ~/work ] && rm -rf ~/work`,
	`X=$(rm -rf ~/work)`,
	`cat <(rm -rf ~/work)`,
	`echo "$(rm -rf ~/work)"`,
}

// overwritten do not delete a file, and leave nothing of it.
var overwritten = []string{`cat /dev/null > ~/work/a.txt`, `dd if=/dev/null of=$HOME/work/a.txt`, `cp ~/other/b.txt ~/work/a.txt`, `tee ~/work/a.txt < list`, `sed -i d ~/work/a.txt`}

// harmless name ~/work, and delete nothing there.
var harmless = []string{
	`ls ~/work`, `grep -rn 'rm -rf ~/work' .`, `echo "rm -rf ~/work"`, `git commit -m "rm -rf ~/work is bad"`, `cat ~/work/a.txt`, `cp ~/work/a.txt .`,
	`rm -rf ~/workshop`, `rm -rf build`, `find ~/work -name '*.go'`, `find . -name '*.o' -delete`, `rm -rf "$TMPDIR/x"`, `rm -rf /tmp/work`, `mv a.txt ~/work/`,
	`echo x >> ~/other/b.txt`, `git -C ~/work status`, `rsync -a ~/work/ /tmp/copy/`, `tar czf /tmp/a.tgz ~/work`, `cd ~/work && make test`, `rm -rf node_modules dist`,
	`cat > notes.md <<'E'` + "\nrm -rf ~/work\nE", `git clean -fdx --dry-run`, `python3 -c "print('rm -rf ~/work')"`, `touch ~/work/new.txt`, `mkdir -p ~/work/y`, `sed -n 1p ~/work/a.txt`,
}

// TestDeletesInEverySpelling asks what the matcher deletes makes of calls.
func TestDeletesInEverySpelling(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the paths are those of Unix")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	w := worldBelow(t, home)
	blocks := func(line string, match hook.Option) bool {
		e := &hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact { return facts.Of(ev, w) }}
		if err := e.Add(hook.New("rule", hook.Static(hook.Block("")), hook.For("PreToolUse"), hook.As(hook.Guard), match)); err != nil {
			t.Fatal(err)
		}
		out, err := hook.Fire(t.Context(), e, hook.PreToolUse, &hook.Envelope{CWD: w.Dir}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Action == hook.ActionBlock
	}
	deletes, writes := hook.MatchDeletes("~/work/**"), hook.MatchWrites("~/work/**")
	for _, line := range spellings {
		if !blocks(line, deletes) {
			t.Errorf("passes: %s", line)
		}
	}
	for _, line := range overwritten {
		if !blocks(line, writes) {
			t.Errorf("writes nothing: %s", line)
		}
	}
	for _, line := range harmless {
		if blocks(line, deletes) {
			t.Errorf("is stopped: %s", line)
		}
	}
}

// worldBelow makes a home with things to delete, and gives the world of a project in it.
func worldBelow(t *testing.T, home string) facts.World {
	t.Helper()
	for name, text := range map[string]string{
		"work/a.txt": "a", "work/x/b.txt": "b", "project/Makefile": "all:\n", "project/list": "x\n", "other/b.txt": "b",
		"other/clean.sh": "#!/bin/sh\nrm -rf ~/work\n", "other/Makefile": "clean:\n\trm -rf $(HOME)/work\n",
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("work", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	return facts.World{
		Dir: filepath.Join(home, "project"), Home: home, Env: map[string]string{"HOME": home, "TMPDIR": "/tmp"},
		Lstat:    func(name string) (fs.FileInfo, error) { return os.Lstat(name) },
		Readlink: os.Readlink,
		ReadDir: func(name string) (names []string, err error) {
			list, err := os.ReadDir(name)
			for _, e := range list {
				names = append(names, e.Name())
			}
			return names, err
		},
		ReadFile: func(name string, n int) ([]byte, error) {
			b, err := os.ReadFile(name)
			return b[:min(n, len(b))], err
		},
	}
}
