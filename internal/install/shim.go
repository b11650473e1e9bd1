package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// FindShim finds hookway-hook: beside the running program, else in PATH. It gives
// an absolute path that stays the same when hookway is updated, so a link in
// PATH comes before the folder that it leads to.
func FindShim(executable string) (string, error) {
	name := shimName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	inPath, err := exec.LookPath(name)
	if err == nil {
		inPath, err = filepath.Abs(inPath)
	}
	if executable != "" {
		beside := filepath.Join(filepath.Dir(executable), name)
		info, missing := os.Stat(beside)
		switch {
		case missing != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		case err == nil && sameFile(inPath, info): // a link in PATH outlives the folder of a version
			return inPath, nil
		default:
			return filepath.Abs(beside)
		}
	}
	if err == nil {
		return inPath, nil
	}
	return "", fmt.Errorf("%s, the program that agents call, is neither beside hookway nor in PATH; get it with: "+
		"go install github.com/hookway/hookway/cmd/...@latest (or make build in the source)", name)
}

func sameFile(path string, info os.FileInfo) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(other, info)
}
