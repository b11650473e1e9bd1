package patch

import (
	"reflect"
	"strings"
	"testing"
)

const all = `*** Begin Patch
*** Add File: new/a.txt
+one
+
+two
*** Update File: b.go
*** Move to: c.go
@@ func main() {
 	x := 1
-	y := 2
+	y := 3
+	z := 4

@@
-last
+end
*** End of File
*** Delete File: d.txt
*** End Patch
`

func TestAPatchIsReadAndWritten(t *testing.T) {
	p, err := Parse("apply_patch <<'EOF'\n" + all + "EOF\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != all {
		t.Errorf("written:\n%s", got)
	}
	if got := p.Paths(); !reflect.DeepEqual(got, []string{"new/a.txt", "b.go", "c.go", "d.txt"}) {
		t.Errorf("paths %q", got)
	}
	if got := p.Files[0].Lines; !reflect.DeepEqual(got, []string{"one", "", "two"}) {
		t.Errorf("new file %q", got)
	}
	h := p.Files[1].Hunks
	switch {
	case len(h) != 2:
		t.Errorf("len(h): got %v, want %v", len(h), 2)
	case strings.Join(h[0].Old, "|") != "\tx := 1|\ty := 2|" || strings.Join(h[0].New, "|") != "\tx := 1|\ty := 3|\tz := 4|" || !h[1].End:
		t.Errorf("hunks %+v", h)
	}
	h[1].Set([]string{"last"}, []string{"other", "end"})
	if got := p.String(); !strings.Contains(got, "@@\n-last\n+other\n+end\n*** End of File\n") {
		t.Errorf("changed:\n%s", got)
	}
}

func TestWhatIsNoPatchIsAnError(t *testing.T) {
	for _, text := range []string{"", "rm -rf x", "*** Begin Patch\n*** End Patch\n", "*** Begin Patch\n*** Add File: \n*** End Patch",
		"*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch", "*** Begin Patch\n*** Update File: a\nno mark\n*** End Patch",
		all + "*** Delete File: e\n", "*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch", "*** Begin Patch\n*** Update File: a\n*** Move to:\n*** End Patch"} {
		if p, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, p)
		}
	}
}

func TestIndentedHeadersAndOpenPatchesAreRead(t *testing.T) {
	p, err := Parse("*** Begin Patch\r\n  *** Update File: a\r\n@@ one\r\n@@ two\r\n-x\r\n+y\r\n")
	switch {
	case err != nil:
		t.Errorf("%+v, %v", p, err)
	case len(p.Files) != 1:
		t.Errorf("len(p.Files): got %v, want %v", len(p.Files), 1)
	case len(p.Files[0].Hunks) != 1:
		t.Errorf("len(p.Files[0].Hunks): got %v, want %v", len(p.Files[0].Hunks), 1)
	case len(p.Files[0].Hunks[0].At) != 2:
		t.Errorf("len(p.Files[0].Hunks[0].At): got %v, want %v", len(p.Files[0].Hunks[0].At), 2)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(all)
	f.Add("*** Begin Patch\n*** Update File: a\n@@\n x\n*** End of File\n*** End Patch")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err != nil {
			t.Fatalf("what it writes cannot be read: %v\n%s", err, p)
		}
		if !reflect.DeepEqual(p.Paths(), again.Paths()) {
			t.Errorf("%q is written as %q", p.Paths(), again.Paths())
		}
	})
}
