package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hookway/hookway/internal/disk"
	"modernc.org/quickjs"
)

// maxCompiled bounds how many bytecodes are kept.
const maxCompiled = 32

// bytecodes keeps what was compiled, by content: a configuration that is loaded
// again mostly has the same scripts.
var bytecodes struct {
	sync.Mutex
	list []bytecode // the one used last in front
}

type bytecode struct {
	hash string
	code []byte
}

// compile returns the bytecode of a bundle. dir is where large ones are kept; "" is
// nowhere.
func compile(b *Bundle, dir string) ([]byte, error) {
	bytecodes.Lock()
	for i, known := range bytecodes.list {
		if known.hash == b.Hash {
			copy(bytecodes.list[1:i+1], bytecodes.list[:i])
			bytecodes.list[0] = known
			bytecodes.Unlock()
			return known.code, nil
		}
	}
	bytecodes.Unlock()
	code := kept(dir, b)
	if code == nil {
		js, err := quickjs.NewVM()
		if err != nil {
			return nil, err
		}
		defer js.Close()
		if code, err = js.Compile(b.Code, quickjs.EvalGlobal); err != nil {
			return nil, err
		}
		_ = keep(dir, b, code) // what cannot be kept is compiled again next time
	}
	bytecodes.Lock()
	defer bytecodes.Unlock()
	bytecodes.list = slices.Insert(bytecodes.list, 0, bytecode{b.Hash, code})
	bytecodes.list = bytecodes.list[:min(len(bytecodes.list), maxCompiled)]
	return code, nil
}

// A large script takes longer to compile than to run, so its bytecode is kept on
// disk. The engine runs bytecode unseen: what is kept is used only if no other user
// could have written it, and if it is whole.

const (
	worthKeeping = 32 << 10 // bytes of a bundle: less is compiled sooner than found
	maxKept      = 64       // files
)

// keptName is the file of a bundle's bytecode, for this engine.
func keptName(dir string, b *Bundle) (string, error) {
	p, err := ready()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(slices.Concat([]byte(b.Hash), []byte(p.Version), p.Probe, p.code))
	return filepath.Join(dir, hex.EncodeToString(sum[:])+".qjs"), nil
}

// kept returns the bytecode of a bundle from the folder, or nil.
func kept(dir string, b *Bundle) []byte {
	if dir == "" || len(b.Code) < worthKeeping {
		return nil
	}
	name, err := keptName(dir, b)
	if err != nil || private(dir) != nil {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil || len(data) < sha256.Size {
		return nil
	}
	sum, code := data[:sha256.Size], data[sha256.Size:]
	if whole := sha256.Sum256(code); !slices.Equal(sum, whole[:]) {
		return nil // it is compiled and written anew
	}
	return code
}

// keep writes bytecode into the folder, in one step. What cannot be kept is
// compiled again next time.
func keep(dir string, b *Bundle, code []byte) error {
	if dir == "" || len(b.Code) < worthKeeping {
		return nil
	}
	if err := makePrivate(dir); err != nil {
		return err
	}
	name, err := keptName(dir, b)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(code)
	if err := disk.ReplaceUnsynced(name, slices.Concat(sum[:], code), 0o600); err != nil {
		return err
	}
	return thin(dir)
}

// thin takes the older half of a folder away that has grown too large.
func thin(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.qjs"))
	if err != nil || len(names) <= maxKept {
		return err
	}
	age := map[string]int64{}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			age[name] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return int(min(1, max(-1, age[a]-age[b]))) })
	var errs []error
	for _, name := range names[:len(names)-maxKept/2] {
		errs = append(errs, os.Remove(name))
	}
	return errors.Join(errs...)
}

// makePrivate makes a folder that nobody else may write to.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return private(dir)
}

// private checks that a folder is one to which no other user may write.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownersOnly(info) {
		return fmt.Errorf("%s is not a folder of yours alone; remove it, and it is made anew", dir)
	}
	return nil
}
