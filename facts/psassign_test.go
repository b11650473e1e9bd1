package facts

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What stands behind the sign of an assignment runs, whatever it sets.
func TestWhatPowerShellAssigns(t *testing.T) {
	const act = `Remove-Item -Recurse -Force C:\Users\u\work`
	for _, line := range []string{
		"$x = " + act, "$x=" + act, "$x =" + act, "$x += " + act, "$x ??= " + act,
		"$a.b = " + act, "$a.b=" + act, "$a.b.c += " + act, "$h['k'] = " + act, `$h["k"]=` + act,
		"$a[0] = " + act, "$a[0, 1] = " + act, "$a[$i+1]=" + act,
		"$a, $b = " + act, "$a,$b=" + act, "$a ,$b = " + act, "($a, $b) = " + act,
		"[int]$x = " + act, "[int] $x = " + act, "[A.B]::c = " + act, "[string[]]$x=" + act,
		"${x y} = " + act, "${x y}=" + act, "$env:A.b = " + act, "$script:a.b = " + act,
		"$a = $b = " + act, "$a.b = $c.d = " + act, "$a.b =\n" + act,
		"$x = (" + act + ")", "$x=(" + act + ")", "$x=$(" + act + ")", "$x.y=@(" + act + ")",
		"$x = if ($y) { " + act + " }", "$x.y = & { " + act + " }", "$x = 1, (" + act + ")", "$x = 'a' + (" + act + ")",
		"$h = @{k = " + act + "}", "@{'k k' = " + act + "}", "$h = [pscustomobject]@{k = " + act + "}", "$h=@{a=1; k=" + act + "}",
		"$a.b, (" + act + ")", "$a, (" + act + ")", "(1) + (" + act + ")",
		"$x = 'a=b'; $y.z = " + act,
	} {
		if !deletesWork(PowerShell(line, fuzzed)) {
			t.Errorf("%q: got %v, want that it deletes /C:/Users/u/work", line, PowerShell(line, fuzzed))
		}
		if outer := "pwsh -Command '" + line + "'"; !slices.Contains([]byte(line), '\'') && !deletesWork(Shell(outer, fuzzed)) {
			t.Errorf("%q: got %v, want that it deletes /C:/Users/u/work", outer, Shell(outer, fuzzed))
		}
	}
}

func deletesWork(found []hook.Fact) bool {
	return slices.ContainsFunc(found, func(f hook.Fact) bool { return f.Does == "delete" && f.Path == "/C:/Users/u/work" })
}

// A variable that is set by parts holds what is not known; a text with the sign is a text.
func TestWhatPowerShellVariablesHold(t *testing.T) {
	for line, want := range map[string]string{
		`$d = 'C:\Users\u\work'; Remove-Item $d`:                   "delete",
		`${d e} = 'C:\Users\u\work'; Remove-Item ${d e}`:           "delete",
		`[string]$d = 'C:\Users\u\work'; Remove-Item $d`:           "delete",
		`$d = 'C:\x'; $d, $e = 'C:\Users\u\work', 1; Write-Host 1`: "",
		`$x = "a = Remove-Item C:\Users\u\work"`:                   "",
		`"$x = Remove-Item C:\Users\u\work"`:                       "",
		`Write-Host $x = Remove-Item C:\Users\u\work`:              "",
	} {
		if got := deletesWork(PowerShell(line, fuzzed)); got != (want != "") {
			t.Errorf("%q: got %v, want %q", line, PowerShell(line, fuzzed), want)
		}
	}
	if found := PowerShell(`$d = 'C:\x'; $d, $e = Get-Places; Remove-Item $d`, fuzzed); slices.ContainsFunc(found, func(f hook.Fact) bool { return f.Path == "/C:/x" }) {
		t.Errorf("got the old value: %v", found)
	}
	if found := PowerShell(`$a foo bar`, fuzzed); !slices.ContainsFunc(found, func(f hook.Fact) bool { return f.Does == "unknown" }) {
		t.Errorf("got %v, want that it is not known", found)
	}
}
