package trust

import (
	"github.com/hookway/hookway/internal/code"
	"github.com/hookway/hookway/internal/shell"
)

// Programs reads programs in other languages than the shell's, for those who read lines.
func Programs(p shell.Program) (out []shell.Use, whole bool) {
	uses, whole := code.Read(code.Program(p))
	for _, u := range uses {
		one := shell.Use{Kind: kinds[u.Kind], Dir: u.Dir, Src: u.Src}
		for _, w := range u.Words {
			one.Words, one.Known = append(one.Words, w.Text), append(one.Known, w.Known)
		}
		out = append(out, one)
	}
	return out, whole
}

// kinds are what a shell's reader calls what a program does.
var kinds = map[code.Kind]int{
	code.Module: shell.UseModule, code.Near: shell.UseNear, code.File: shell.UseFile, code.Folder: shell.UseFolder,
	code.Line: shell.UseLine, code.Words: shell.UseWords, code.Write: shell.UseWrite, code.Away: shell.UseAway,
}
