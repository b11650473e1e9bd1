package guards

import (
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
)

// These say the same through other programs, and through what a shell can do with texts.
func init() {
	maps.Copy(rewritings, map[string]func(string) string{
		"printf -v":     func(l string) string { return "printf -v ZZ '%s' " + single(l) + `; eval "$ZZ"` },
		"array joined":  func(l string) string { return "ZZ=(" + single(l) + `); bash -c "${ZZ[*]}"` },
		"array, pieces": func(l string) string { return pieces(l) },
		"taken out": func(l string) string {
			return "ZZ=" + single("@@"+strings.ReplaceAll(l, " ", "@@ ")) + `; eval "${ZZ//@@/}"`
		},
		"cut off":     func(l string) string { return "ZZ=" + single("no: "+l) + `; eval "${ZZ#no: }"` },
		"sliced":      func(l string) string { return "ZZ=" + single("abc"+l) + `; eval "${ZZ:3}"` },
		"by its name": func(l string) string { return "AA=" + single(l) + `; ZZ=AA; eval "${!ZZ}"` },
		"default value": func(l string) string {
			return oneLine(l, func(l string) string { return "ZZ=; eval ${ZZ:-" + single(l) + "}" })
		},
		"reference": func(l string) string { return "AA=" + single(l) + `; declare -n ZZ=AA; eval "$ZZ"` },
		"read": func(l string) string {
			return oneLine(l, func(l string) string { return "read -r ZZ <<< " + single(l) + `; eval "$ZZ"` })
		},
		"mapfile": func(l string) string {
			return oneLine(l, func(l string) string { return "mapfile -t ZZ <<< " + single(l) + `; eval "${ZZ[0]}"` })
		},
		"xargs -I": func(l string) string {
			return oneLine(l, func(l string) string { return "echo x | xargs -I{} sh -c " + single(l) })
		},
		"env -S":        func(l string) string { return "env -S " + single("sh -c "+double(l)) },
		"env -i":        func(l string) string { return "env -i HOME=/home/u PATH=/usr/bin sh -c " + single(l) },
		"find -execdir": func(l string) string { return `find . -maxdepth 0 -execdir bash -c ` + single(l) + ` {} +` },
		"git -c pager":  func(l string) string { return "git -c core.pager=" + single(l) + " -p log" },
		"git bisect":    func(l string) string { return "git bisect run sh -c " + single(l) },
		"sudo -s":       func(l string) string { return "sudo -s <<< " + single(l) },
		"su -c":         func(l string) string { return "su u -c " + single(l) },
		"unshare":       func(l string) string { return "unshare -r sh -c " + single(l) },
		"nsenter":       func(l string) string { return "nsenter -t 1 -m -- sh -c " + single(l) },
		"systemd-run":   func(l string) string { return "systemd-run --user --wait sh -c " + single(l) },
		"nvim":          func(l string) string { return "nvim -es -c " + single("!"+l) + " -c q" },
		"sed e": func(l string) string {
			return oneLine(l, func(l string) string { return "sed " + single("1e "+l) + " x" })
		},
		"tar": func(l string) string {
			return "tar cf /tmp/x.tar x --checkpoint=1 --checkpoint-action=exec=" + single(l)
		},
		"coproc":            func(l string) string { return "coproc " + "{ " + l + "; }" },
		"exported function": func(l string) string { return "zz() { " + l + "; }; export -f zz; bash -c zz" },
		"source <()":        func(l string) string { return ". <(echo " + single(l) + ")" },
		"sh <()":            func(l string) string { return "bash <(printf '%s\\n' " + single(l) + ")" },
		"to a shell by >()": func(l string) string { return "echo " + single(l) + " > >(sh)" },
		"rot13": func(l string) string {
			return "tr 'A-Za-z' 'N-ZA-Mn-za-m' <<< " + single(strings.Map(rot13, l)) + " | sh"
		},
		"openssl base64": func(l string) string {
			return "openssl base64 -d -A <<< " + base64.StdEncoding.EncodeToString([]byte(l)) + " | sh"
		},
		"python base64": func(l string) string {
			return fmt.Sprintf(`python3 -c 'import os,base64; os.system(base64.b64decode("%s").decode())'`, base64.StdEncoding.EncodeToString([]byte(l)))
		},
		"link to a shell": func(l string) string { return "ln -s /bin/sh /tmp/zz && /tmp/zz -c " + single(l) },
		"copy of a shell": func(l string) string { return "cp /bin/bash /tmp/zz && /tmp/zz -c " + single(l) },
		"command -p":      func(l string) string { return "command -p sh -c " + single(l) },
		"exec -a":         func(l string) string { return "exec -a zz bash -c " + single(l) },
		"heredoc, tee, run": func(l string) string {
			return "tee /tmp/zz.sh <<'EOF' >/dev/null\n" + l + "\nEOF\nchmod +x /tmp/zz.sh; /tmp/zz.sh"
		},
		"appended, run":  func(l string) string { return "echo '#!/bin/sh' > zz.sh; echo " + single(l) + " >> zz.sh; bash zz.sh" },
		"trap DEBUG":     func(l string) string { return "trap " + single(l) + " DEBUG; :" },
		"PROMPT_COMMAND": func(l string) string { return "PROMPT_COMMAND=" + single(l) + " bash -i" },
		"hyperfine":      func(l string) string { return "hyperfine -r 1 " + single(l) },
		"npx -c":         func(l string) string { return "npx -c " + single(l) },
		"perl backquotes": func(l string) string {
			if strings.ContainsAny(l, "{}$@\\") {
				return ""
			}
			return "perl -e " + single("print qx{"+l+"}")
		},
		"go": func(l string) string {
			return "cat > /tmp/z.go <<'EOF'\npackage main\nimport \"os/exec\"\nfunc main() { exec.Command(\"sh\", \"-c\", " + code(l) + ").Run() }\nEOF\ngo run /tmp/z.go"
		},
		"c": func(l string) string {
			return "cat > /tmp/z.c <<'EOF'\n#include <stdlib.h>\nint main(void) { return system(" + code(l) + "); }\nEOF\ncc -o /tmp/z /tmp/z.c && /tmp/z"
		},
		"java": func(l string) string {
			return "cat > /tmp/Z.java <<'EOF'\nclass Z { public static void main(String[] a) throws Exception { new ProcessBuilder(\"sh\", \"-c\", " + code(l) + ").start(); } }\nEOF\njava /tmp/Z.java"
		},
		"lua by a pipe": func(l string) string { return "echo " + single("os.execute("+code(l)+")") + " | lua -" },
		"psql": func(l string) string {
			return oneLine(l, func(l string) string { return "psql <<'EOF'\n\\! " + l + "\nEOF" })
		},
		"sqlite3": func(l string) string {
			return oneLine(l, func(l string) string { return "sqlite3 x.db " + single(".shell "+l) })
		},
		"option of a program": func(l string) string { return "restic --password-command " + single("sh -c "+double(l)) + " snapshots" },
		"unknown starter":     func(l string) string { return "zzstart -q sh -c " + single(l) },
	})
}

// perhaps are rewritings of which nobody knows for sure that they run what they are given: the
// names of the programs or options only say so.
var perhaps = []string{"unknown starter", "option of a program"}

// pieces puts the words of a line into an array, and takes them out again.
func pieces(l string) string {
	return noQuotes(l, func(l string) string { return "ZZ=(" + l + `); "${ZZ[@]}"` })
}
