package rpc

import (
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/hooktest"
)

func TestAServerThatIsNotThere(t *testing.T) {
	hooktest.Away(t, newHandler(t, Config{Target: "unix://" + filepath.Join(t.TempDir(), "nobody")}))
}
