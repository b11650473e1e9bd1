package shell

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// places are where a word can stand; % is the word.
var places = []string{
	"%", "echo %", "echo a%b", "echo \"%\"", "echo \"a % b\"", "A=%", "A+=%", "A=(%)", "A=([1]=%)", "A[%]=1", "A[a%]=1", "A=% true", "export A=%", "declare A=%", "local -r A=%",
	"readonly A=%", "typeset A=(%)", "echo > %", "echo >> %", "cat < %", "echo >| %", "echo &> %", "exec 3<> %", "cat <<< %", "cat <<< \"%\"", "cat <<E\n%\nE", "cat <<-E\n\t%\n\tE",
	"echo ${U:-%}", "echo ${U-%}", "echo ${U:=%}", "echo ${U=%}", "echo ${U:+%}", "echo ${U+%}", "echo ${U:?%}", "echo ${U?%}", "echo ${U#%}", "echo ${U##%}", "echo ${U%%}", "echo ${U%%%}",
	"echo ${U/%/a}", "echo ${U/a/%}", "echo ${U//a/%}", "echo ${U:%}", "echo ${U:0:%}", "echo ${U[%]}", "echo \"${U[%]}\"", "echo ${#U[%]}", "echo ${U^%}", "echo ${U,,%}", "echo \"${U:-%}\"", "echo \"${U:-\"%\"}\"",
	"echo $((%))", "echo $((1 + %))", "echo $((A[%]))", "echo $((A ? % : 1))", "((A = %))", "((%))", "let A=%", "let 'A='%", "for ((i=%; i<1; i++)); do :; done", "for ((i=0; i<%; i++)); do :; done", "for ((i=0; i<1; i+=%)); do :; done",
	"[[ % ]]", "[[ -f % ]]", "[[ a == % ]]", "[[ % == a ]]", "[[ a =~ % ]]", "[[ ! % ]]", "[[ ( % ) ]]", "[[ a && % ]]", "[[ a -lt % ]]", "test -f %", "[ % ]",
	"for f in %; do :; done", "for f in a; do %; done", "select f in %; do break; done", "case % in a) ;; esac", "case a in %) ;; esac", "case a in a|%) ;; esac", "case a in a) %;; esac",
	"if %; then :; fi", "if :; then %; fi", "if :; then :; else %; fi", "if :; then :; elif %; then :; fi", "while %; do :; done", "until %; do :; done", "while :; do %; done",
	"f() { %; }", "f() ( % )", "f() { echo %; } > /tmp/%", "function f { %; }", "(%)", "{ %; }", "{ :; } > %", "(:) < %", "! %", "time %", "% &", "coproc %", "coproc N { %; }",
	"% | cat", "cat | %", "cat |& %", "% && :", ": || %", ":; %", ":\n%", "echo $(echo %)", "echo $(echo \"%\")", "echo <(%)", "echo >(%)", "diff <(echo %) a",
	"echo @(%)", "echo a!(%|b)", "echo ?(%)*", "case a in @(%)) ;; esac", "[[ a == @(%) ]]", "echo {a,%}", "echo {a,{b,%}}", "eval %", "eval 'echo %'", "bash -c '%'", "trap '%' EXIT",
	"sh <<E\n%\nE", "sh <<'E'\n%\nE", "sh <<< '%'", "PS4='%'", "env A=% true", "sudo env A=% true", "xargs %", "find . -exec % \\;", "find . -name % -print", "exec %", "command %", "echo $'a' %", "echo $\"%\"", ". %", "source %", "alias a=%", "unset A[%]", "printf %", "printf -v A %",
	"read A[%]", "wait %", "exit %", "return %", "shift %", "break %", "cd %", "set -- %", "ulimit %", "kill %", "tee %", "cp % b", "echo ~%", "echo $A%", "echo *%*", "mapfile -C % A", "complete -C % a", "nice %", "timeout %", "flock a -c '%'", "watch '%'",
}

// TestASubstitutionIsFoundWhereverAWordCanStand builds lines of each place and each
// kind of substitution.
func TestASubstitutionIsFoundWhereverAWordCanStand(t *testing.T) {
	for _, place := range places {
		for _, sub := range []string{"$(./x.sh)", "`./x.sh`", "$(echo $(sh x.sh))", "${Z:-$(./x.sh)}", "$(( $(./x.sh) ))"} {
			if strings.Contains(place, "'%'") && strings.HasPrefix(sub, "$((") {
				continue
			}
			line := strings.ReplaceAll(place, "%", sub)
			switch place { // where percent signs are the shell's
			case "echo ${U%%}":
				line = "echo ${U%" + sub + "}"
			case "echo ${U%%%}":
				line = "echo ${U%%" + sub + "}"
			}
			p := parse(line)
			if r := reader().Line(line); !slices.Contains(needs(r), "x.sh") {
				t.Errorf("%q: %q (%v)", line, needs(r), p.err)
			}
		}
	}
}

// TestTextThatNestsDeeplyIsToldAndNothingElse: no text makes the parser or what
// comes after it call itself without an end.
func TestTextThatNestsDeeplyIsToldAndNothingElse(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(24 << 20))
	for _, open := range []string{
		"(", "{ ", "$(", "`", "\"$(", "${a:-", "${a[", "$((", "((", "[[ (", "[[ ! ", "! ", "if ", "while ", "for a in $(", "case $(", "f() { ", "f() ( ", "function f { ", "time ", "coproc ", "<(", ">(",
		"a && ", "a | ", "a; ", "a=$(", "a=(", "a[", "eval ", "sh -c '", "sudo ", "env ", "nice ", "$((-", "$((1+", "$((a?", "$((a**", "$((!", "((a,", "@(", "{a,", "cat <<E\n$(", "let a=(", "select a in $(", "until ",
		"[[ a && ", "[[ a == ", "case a in a) ", "\\`", "$'", "else ", "<<<$(", ">$(", "\"${a:-", "alias a=", "export a=$(", "exec ", "trap ", "xargs ", "$a", "*", "${!a", "{ a; } | ",
	} {
		for _, n := range []int{300, 20_000} {
			text := strings.Repeat(open, n)
			text = text[:min(len(text), MaxText-9)]
			reader().Line(text)
			reader().Line("sh -c '" + text + "'")
		}
	}
	if r := reader().Line(strings.Repeat("(", 200_000)); len(r.Unknown) != 1 || !strings.Contains(r.Unknown[0].Why, "64 KiB") {
		t.Errorf("%+v", r.Unknown)
	}
	if r := reader().Line(strings.Repeat("(", 60_000)); len(r.Unknown) != 1 || !strings.Contains(r.Unknown[0].Why, "too deeply") {
		t.Errorf("%+v", r.Unknown)
	}
	if r := reader().Line("sh x.sh" + strings.Repeat(" && a", 2_000)); len(r.Unknown) == 0 {
		t.Error("a chain of 2,000 commands was walked")
	}
}

// TestWhatIsTooMuchIsTold bounds the work by the steps that are counted.
func TestWhatIsTooMuchIsTold(t *testing.T) {
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "A%d={a,b}$A%d{c,d}; ", i, (i+1)%40)
	}
	for _, line := range []string{
		many.String() + "sh $A1", "sh {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "A=a; " + strings.Repeat("A=$A$A; ", 40) + "sh $A",
		strings.Repeat("cd a; cd b; cd c; ", 30) + "sh x", "A=" + strings.Repeat("x", 5000) + "; sh $A",
	} {
		r := reader().Line(line)
		if len(line) > 200 && len(r.Unknown) == 0 && !strings.HasPrefix(line, "cd") {
			t.Errorf("%.60s: nothing is unknown", line)
		}
		if all := len(r.Runs) + len(r.Sources) + len(r.Reads) + len(r.Writes); all > 5*maxNames {
			t.Errorf("%.60s: %d names", line, all)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, place := range places {
		f.Add(strings.ReplaceAll(place, "%", "$(./x.sh)"))
	}
	for _, line := range []string{"D=sub; sh $D/*.sh", "for f in {a,b}; do . $f; done", "cat <<E | sh\n./x.sh\nE", "a=b c=${a%x} d", "x{1..3}", "$'\\x'", "~/x", "\\", "'", "f() { f; }; f", "alias a='a b'; a"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, b := reader().Line(line), reader().Line(line)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%q is read in two ways:\n%+v\n%+v", line, a, b)
		}
		reader().Words(strings.Fields(line))
	})
}
