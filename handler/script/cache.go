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

// compile gives the bytecode of a bundle.
func compile(b *Bundle) ([]byte, error) {
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
	js, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer js.Close()
	code, err := js.Compile(b.code, quickjs.EvalGlobal)
	if err != nil {
		return nil, err
	}
	bytecodes.Lock()
	defer bytecodes.Unlock()
	bytecodes.list = slices.Insert(bytecodes.list, 0, bytecode{b.Hash, code})
	bytecodes.list = bytecodes.list[:min(len(bytecodes.list), maxCompiled)]
	return code, nil
}
