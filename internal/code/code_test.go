package code

import (
	"testing"
	"time"
)

// FuzzRead: whatever a text holds, reading it ends, soon, and breaks nothing.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"import os\nos.system(f'sh {x}')\nwith open('a') as f:\n  exec(f.read())\n", "from a import (b,\n c)\nsys.path[:0] = [x]\n",
		"const {exec: e, spawn} = require('child_process'); e(`sh ${d}/x`); import(a)\n", "import x, {y as z} from 'm'\nnew Worker(new URL('./w.js', import.meta.url))",
		"require File.expand_path('../x', __FILE__)\nputs %x(sh #{a})\n$: << 'lib'\n", "use lib \"$FindBin::Bin/lib\"; do $ARGV[0] or die; print qx{sh x};",
		"<?php require_once __DIR__ . '/a.php'; echo `sh {$x}`;", "package.path = './?.lua;' .. package.path\nrequire 'a.b'", "BEGIN { \"sh x\" | getline; print | \"sh\" }", "f(((((", "x = x + x\nexec(x)\n", "\"${", "'''", "def f(a, b=f(a)): f(b)\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for language := range languages() {
			begin := time.Now()
			Read(Program{Language: language, Text: text, Path: "/w/h"})
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("%s took %s, want at most 5s", language, took)
			}
		}
	})
}
