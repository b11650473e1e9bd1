package guards

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A session of the corpus: what should come of it, and its lines.
type sessionRow struct{ expect, name, text string }

func readSessions(t testing.TB, name string) []sessionRow {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var rows []sessionRow
	for part := range strings.SplitSeq("\n"+string(src), "\n--- ") {
		head, text, _ := strings.Cut(part, "\n")
		if expect, title, ok := strings.Cut(head, ": "); ok {
			rows = append(rows, sessionRow{expect, title, text})
		}
	}
	return rows
}

// Sessions that do harm together are stopped, and those of everyday work are not.
func TestSessions(t *testing.T) {
	names, err := filepath.Glob("testdata/sessions/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	safe, dangerous, missed, asked := 0, 0, 0, 0
	for _, name := range names {
		for _, row := range readSessions(t, name) {
			judged, err := (&Example{Dir: world.Dir, Home: world.Home, Policy: Everything()}).Play(row.text)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, row.name, err)
			}
			worst := Judged{Rule: &Rule{}}
			over := false // by a rule over sessions
			for _, j := range judged {
				if j.Verdict.worse(worst.Verdict) {
					worst = j
				}
				over = over || strings.HasPrefix(j.Rule.ID, "loops/") || strings.HasPrefix(j.Rule.ID, "sequences/")
			}
			switch row.expect {
			case "safe":
				safe++
				if over {
					asked++
					t.Errorf("%s: %s %ss about %q, which is safe", name, worst.Rule.ID, worst.Verdict, row.name)
				}
			case "ask", "block":
				dangerous++
				if !over && worst.Verdict != Block || row.expect == "block" && worst.Verdict != Block {
					missed++
					t.Logf("%q passes: %q of %s", row.name, worst.Verdict, worst.Rule.ID)
				}
			default:
				t.Errorf("%s: %q expects %q, want safe, ask or block", name, row.name, row.expect)
			}
		}
	}
	t.Logf("%d sessions: of %d dangerous %d pass, of %d safe %d are asked about", safe+dangerous, dangerous, missed, safe, asked)
	if share(missed, dangerous) > 0.1 {
		t.Errorf("%d of %d dangerous sessions pass", missed, dangerous)
	}
}
