package shell

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// in reads a line where these files lie, and gives what it needs of them.
func in(line string, has map[string]string) (needed string, r Reading) {
	old := files
	defer func() { files = old }()
	files = fstest.MapFS{}
	for name, text := range has {
		files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o755}
	}
	r = reader().Line(line)
	return strings.Join(needs(r), " "), r
}

// TestWhatAProgramLoads: a script in another language than the shell's says by itself what
// more of the workspace it runs. What its literals say is needed, and what they do not say
// is told; what it only reads or writes is its own affair.
func TestWhatAProgramLoads(t *testing.T) {
	for _, c := range []struct{ file, text, more, needs, unknown string }{
		// Python.
		{"h.py", "import importlib as il\nil.import_module('tools.check')\n", "tools/check.py tools/other.py", "h.py tools/check.py", ""},
		{"h.py", "with open('policy.py') as src:\n    code = compile(src.read(), 'policy', 'exec')\nexec(code, {})\n", "policy.py", "h.py policy.py", ""},
		{"h.py", "import runpy, os\nrunpy.run_path(os.path.join(os.path.dirname(__file__), 'sub', 'job.py'))\n", "sub/job.py", "h.py sub/job.py", ""},
		{"h.py", "import subprocess as sp\nsp.check_call(['bash', '-e', 'ci/lint.sh'], cwd='.')\n", "ci/lint.sh", "ci/lint.sh h.py", ""},
		{"h.py", "from os import system as run_it\nrun_it('. ./env && true')\n", "env", "env h.py", ""},
		{"h.py", "import subprocess\nclass G:\n  def go(self, what):\n    return subprocess.run(what, shell=True)\nG().go('x')\n", "", "h.py", "subprocess.run(what, shell=True)"},
		{"h.py", "import subprocess\ndef go(what):\n    return subprocess.run(what)\ngo(['sh', 'a.sh'])\ngo(['git', 'status'])\n", "a.sh", "a.sh h.py", ""},
		{"h.py", "import pathlib\nROOT = pathlib.Path(__file__).resolve().parent\nexec((ROOT / 'rules' / 'r.py').read_text())\n", "rules/r.py", "h.py rules/r.py", ""},
		{"h.py", "import sys\nsys.path[:0] = ['vendor']\nimport dep\n", "vendor/dep.py", "h.py vendor/dep.py", ""},
		{"h.py", "import os, sys\nsys.path.insert(0, os.environ['PLUGINS'])\nimport dep\n", "", "h.py", "sys.path.insert(0, os.environ['PLUGINS'])"},
		{"h.py", "import json, sys\nfor m in json.load(sys.stdin)['mods']:\n    __import__(m)\n", "", "h.py", "__import__(m)"},
		{"h.py", "from pkg import (\n  one,  # a word\n  two as deux,\n)\n", "pkg/__init__.py pkg/two.py", "h.py pkg/__init__.py pkg/two.py", ""},
		{"h.py", "# exec(x)\n'''os.system(y)'''\nprint('exec(z)')\n", "", "h.py", ""},
		{"h.py", "import sqlite3, sys\ndb = sqlite3.connect('s.db')\ndb.execute(sys.argv[1])\nre.compile(p)\n", "s.db", "h.py", ""},
		{"h.py", "import json, subprocess, sys\nf = json.load(sys.stdin)['path']\nsubprocess.run(['gofmt', '-w', f])\n", "", "h.py", ""},
		{"h.py", "import json, subprocess, sys\nf = json.load(sys.stdin)['path']\nsubprocess.run(['sh', f])\n", "", "h.py", "subprocess.run(['sh', f])"},
		// JavaScript.
		{"h.js", "const {execFileSync: run} = require('node:child_process');\nrun('bash', ['./a.sh'])\n", "a.sh", "a.sh h.js", ""},
		{"h.js", "const path = require('path'), cp = require('child_process');\ncp.spawn('sh', [path.resolve(__dirname, 'bin', 'a.sh')], {stdio: 'inherit'})\n", "bin/a.sh", "bin/a.sh h.js", ""},
		{"h.js", "const util = require('util'); const exec = util.promisify(require('child_process').exec);\n(async () => { await exec('sh a.sh') })()\n", "a.sh", "a.sh h.js", ""},
		{"h.js", "for (const f of list) { await import(`./plugins/${f}.mjs`) }\n", "", "h.js", "import(`./plugins/${f}.mjs`)"},
		{"h.js", "const z = require('zod')\n", "node_modules/zod/package.json node_modules/zod/lib/x.js node_modules/other/i.js", "h.js node_modules/zod/lib/x.js node_modules/zod/package.json", ""},
		{"h.js", "const fs = require('fs'); (0, eval)(1); eval(fs.readFileSync(__dirname + '/more.js', 'utf8'))\n", "more.js", "h.js more.js", ""},
		{"h.js", "const hit = /['\"`]/.exec(s); db.exec(q); x.require(y); // eval(z)\n", "", "h.js", ""},
		{"h.js", "import {$} from 'zx';\nawait $`sh a.sh`\n", "a.sh", "a.sh h.js", ""},
		{"h.js", "const s = `${require('child_process').execSync('sh a.sh')}`\n", "a.sh", "a.sh h.js", ""},
		// Others.
		{"h.rb", "require_relative 'lib/a'\nKernel.load('b.rb')\nsystem 'sh', 'a.sh', x\n", "lib/a.rb b.rb a.sh", "a.sh b.rb h.rb lib/a.rb", ""},
		{"h.rb", "def eval_all(x) = instance_eval(File.read(x))\n", "", "h.rb", "instance_eval(File.read(x))"},
		{"h.pl", "use FindBin qw($Bin);\nuse lib \"$FindBin::Bin/pl\";\nuse Our::Rules;\nmy $o = `sh a.sh`;\n", "pl/Our/Rules.pm a.sh", "a.sh h.pl pl/Our/Rules.pm", ""},
		{"h.pl", "my $e = do { local $/; <STDIN> };\neval { die };\n", "", "h.pl", ""},
		{"h.pl", "do $f or die;\n", "", "h.pl", "do $f or die"},
		{"h.php", "<html><?php include_once __DIR__ . '/inc/a.php'; passthru(\"sh a.sh\");", "inc/a.php a.sh", "a.sh h.php inc/a.php", ""},
		{"h.php", "<?php $f = $_GET['x']; require $f;", "", "h.php", "require $f"},
		{"h.lua", "local m = require('a.b')\nassert(loadfile 'c.lua')()\nos.execute [[sh a.sh]]\n", "a/b.lua c.lua a.sh", "a.sh a/b.lua c.lua h.lua", ""},
		{"h.awk", "BEGIN { cmd = 1; \"sh a.sh\" | getline x }\n", "a.sh", "a.sh h.awk", ""},
	} {
		has := map[string]string{c.file: c.text}
		for _, name := range strings.Fields(c.more) {
			has[name] = ""
		}
		program := map[string]string{".py": "python3 ", ".js": "node ", ".rb": "ruby ", ".pl": "perl ", ".php": "php ", ".lua": "lua ", ".awk": "awk -f "}[filepath.Ext(c.file)]
		needed, r := in(program+c.file, has)
		if needed != c.needs {
			t.Errorf("%s\nneeds %q\n want %q", c.text, needed, c.needs)
		}
		if got := words(r.Unknown); got != c.unknown {
			t.Errorf("%s\nunknown %q\n   want %q", c.text, got, c.unknown)
		}
	}
}

// TestDataOfALine: what a line writes, and reads as data alone, is kept; what it runs of
// that, or may run, is not.
func TestDataOfALine(t *testing.T) {
	for _, c := range []struct {
		line string
		kept bool
	}{
		{"sed -i 's/a/b/' f", true},
		{"sed -i.old -e 1d f", true},
		{"sed -i '1e sh x.sh' f", true},
		{"sed -i 's/a/b/e' f", false},
		{"sed -i 's/e/w/' f; sh f", false},
		{"perl -pi -e 's/a/b/' f", true},
		{"tar -cf f logs", true},
		{"tar cJf f --use-compress-program=xz logs; sh f", false},
		{"yq -i .a=1 f", true},
		{"date > f; xargs < f touch", true},
		{"date > f; xargs < f sh", false},
		{"date > f; while read -r l; do echo $l; done < f", true},
		{"date > f; while read -r l; do $l; done < f", false},
		{"date > f; git diff --no-index f g", true},
		{"date > f; awk '{n++} END {print n}' f", true},
		{"date > f; awk '{system($0)}' f", false},
		{"date > f; cp f x.sh; sh x.sh", false},
		{"python3 -c 'open(\"f\", \"a\").write(\"x\")'", true},
		{"python3 -c 'open(\"f\", \"a\").write(\"x\"); exec(open(\"f\").read())'", false},
		{"node -e 'fs=require(\"fs\"); fs.writeFileSync(\"f\", \"x\"); fs.readFileSync(\"f\")'", true},
		{"node -e 'require(\"fs\").writeFileSync(\"f\", \"x\"); require(\"./f\")'", false},
		{"date > f; ./unknown f", false},
	} {
		_, r := in(c.line, map[string]string{"f": "", "x.sh": "", "logs/a": "", "unknown": "\x00"})
		needed := false
		for _, n := range append(append(r.Runs, r.Sources...), r.Reads...) {
			rel, err := local(n.Path)
			needed = needed || err == nil && rel == "f"
		}
		if got := !needed && len(r.Unknown) == 0; got != c.kept {
			t.Errorf("%s: kept %v, want %v; unknown %s", c.line, got, c.kept, words(r.Unknown))
		}
	}
}
