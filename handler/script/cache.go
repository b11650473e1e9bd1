package script

import (
	"slices"
	"sync"

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

// compile gives the bytecode of a bundle. dir is where large ones are kept; "" is
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
