package script

import (
	"encoding/binary"
	"fmt"

	"github.com/hookway/hookway/internal/chance"
	"modernc.org/quickjs"
)

// lotsText has Math.random draw from the event that the script is asked about.
const lotsText = `(() => {
  const draw = __hookway_lot;
  Object.defineProperty(Math, "random", { value: { random: () => draw() }.random, writable: true, configurable: true, enumerable: false });
  delete globalThis.__hookway_lot;
})()`

// lots gives the script the random numbers of its events. A program has the engine's.
func (m *machine) lots() error {
	if m.prog != nil {
		return nil
	}
	err := m.js.RegisterHostFunc("__hookway_lot", func([]any) (any, error) {
		var b [8]byte
		m.draw(b[:])
		return float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53), nil
	})
	if err != nil {
		return err
	}
	v, err := m.js.EvalValue(lotsText, quickjs.EvalGlobal)
	if err == nil {
		v.Free()
	}
	return err
}

// draw fills p with random bytes: of the event whose code runs, if it has some of its own.
func (m *machine) draw(p []byte) {
	var from *chance.Source
	who := ""
	if c := m.cur; c != nil {
		from, who = chance.Of(c.ctx), fmt.Sprintf("%s %d", m.p.label(), c.index)
	}
	from.Read(who, p)
}
