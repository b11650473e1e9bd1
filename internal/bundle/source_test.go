package bundle

import (
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

func TestSettledFilesHaveNoComputedImports(t *testing.T) {
	for text, left := range map[string]string{
		"import('./a' + b)": "import(", "x\nimport(`./${b}`)": "import(", "const é = 'ü'; require(  './' + b)": "require(", "import('./' + a + import('./' + b))": "import(",
		"f\r\nimport(b ? './a' + c : './b' + d)": "import(", "a = '\u2028'\nimport('./' + c)": "import(",
	} {
		got := settle(text, "x.js", api.LoaderTS)
		if strings.Contains(got, left) {
			t.Errorf("%q became %q", text, got)
		}
		if again := settle(got, "x.js", api.LoaderTS); again != got {
			t.Errorf("%q became %q, and that %q", text, got, again)
		}
	}
}

func TestTheNameOfASourceMapIsTakenOut(t *testing.T) {
	if got := tame("a.js", "", "x //# sourceMappingURL=a"); !strings.HasSuffix(got, "\n//# sourceMappingURL=data:application/json,{}\n") {
		t.Errorf("got %q, want strings.HasSuffix(got, \"\\n//# sourceMappingURL=data:application/json,{}\\n\")", got)
	}
}

// FuzzWithoutComments checks that nothing makes it panic.
func FuzzWithoutComments(f *testing.F) {
	f.Add([]byte(`{"a": "//", /* b */ "c": [1,], // d` + "\n}"))
	f.Add([]byte(`"\`))
	f.Add([]byte(`/*`))
	f.Fuzz(func(t *testing.T, data []byte) { _ = withoutComments(data) })
}

// FuzzSourceMap checks that no map makes the reader panic, and that no place leads out of it.
func FuzzSourceMap(f *testing.F) {
	f.Add([]byte(`{"version":3,"sources":["a.ts"],"mappings":"AAAA,SAASA;;AACT"}`), 1, 1)
	f.Add([]byte(`{"sources":["a"],"mappings":"gggggggB,D"}`), 1, 9)
	f.Fuzz(func(t *testing.T, data []byte, line, column int) {
		m := readMap(data)
		if file, _, _, ok := m.find(line, column); ok && file == "" && len(m.sources) == 0 {
			t.Error("a place was found in no file")
		}
	})
}
