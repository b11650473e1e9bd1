package facts

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// A variable with a credential is read where it is shown, and not where a program takes it.
func TestPrintedVariables(t *testing.T) {
	w := World{Dir: "/home/u/project", Home: "/home/u", Env: map[string]string{"CI_TOKEN": "t0"}}
	for line, want := range map[string]string{
		"printenv GITHUB_TOKEN":                      "env:GITHUB_TOKEN",
		"echo $GITHUB_TOKEN":                         "env:GITHUB_TOKEN",
		`echo "is ${API_KEY}"`:                       "env:API_KEY",
		"echo $CI_TOKEN":                             "env:CI_TOKEN",
		"X=$CI_TOKEN; printf %s $X":                  "env:CI_TOKEN",
		`cat <<< "$DB_PASSWORD"`:                     "env:DB_PASSWORD",
		"echo $NPM_TOKEN | base64":                   "env:NPM_TOKEN",
		"{ echo $NPM_TOKEN; } >&2":                   "env:NPM_TOKEN",
		"echo $NPM_TOKEN > f":                        "",
		"echo $NPM_TOKEN | docker login":             "",
		"printenv NPM_TOKEN | docker login":          "",
		"A=$(echo $NPM_TOKEN)":                       "",
		"export X=$NPM_TOKEN":                        "",
		`test -n "$NPM_TOKEN"`:                       "",
		`[ -z "$API_KEY" ]`:                          "",
		"echo ${NPM_TOKEN:+set} ${#NPM_TOKEN}":       "",
		"echo $MAX_TOKENS $CACHE_KEY $SSH_KEY_PATH":  "",
		`curl -H "A: $EXAMPLE_TOKEN" https://a.test`: "",
	} {
		got := ""
		for _, f := range Shell(line, w) {
			if f.Does == "read" && f.Secret != "" && !f.Dry && strings.HasPrefix(f.Path, "env:") {
				got += f.Path
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// PowerShell and cmd show variables, too.
func TestPrintedVariablesOfWindows(t *testing.T) {
	w := World{Dir: "/home/u/project", Home: "/home/u", Env: map[string]string{"CI_TOKEN": "t0"}}
	shells := map[string]func(string, World) []hook.Fact{"powershell": PowerShell, "cmd": Cmd}
	for shell, lines := range map[string]map[string]string{
		"powershell": {
			"echo $env:TOKEN":                                       "env:TOKEN",
			"Write-Host $Env:AWS_SECRET_ACCESS_KEY":                 "env:AWS_SECRET_ACCESS_KEY",
			`Write-Output "is ${env:API_KEY}"`:                      "env:API_KEY",
			`Write-Output "is $($env:api_key)"`:                     "env:API_KEY",
			"$env:CI_TOKEN":                                         "env:CI_TOKEN",
			"$x = $env:CI_TOKEN; $x | Out-String":                   "env:CI_TOKEN",
			"$x=$env:CI_TOKEN; $x":                                  "env:CI_TOKEN",
			"[Environment]::GetEnvironmentVariable('NPM_TOKEN')":    "env:NPM_TOKEN",
			"gci env:NPM_TOKEN":                                     "env:NPM_TOKEN",
			`(Get-Item Env:\NPM_TOKEN).Value`:                       "env:NPM_TOKEN",
			"Get-Content env:NPM_TOKEN":                             "env:NPM_TOKEN",
			"if ($true) { echo $env:NPM_TOKEN }":                    "env:NPM_TOKEN",
			"Get-ChildItem Env:":                                    "env:*",
			"dir env:":                                              "env:*",
			"Get-ChildItem env:* | Format-List":                     "env:*",
			"gci env:*TOKEN*":                                       "env:*",
			"gci env: | Select-Object Name":                         "",
			"gci env: | Measure-Object":                             "",
			"gci env:PATH":                                          "",
			"Test-Path env:NPM_TOKEN":                               "",
			"if ($env:NPM_TOKEN) { echo set }":                      "",
			"$env:NPM_TOKEN -ne ''":                                 "",
			"$env:NPM_TOKEN.Length":                                 "",
			"$env:NODE_ENV = 'test'; npm test":                      "",
			"$x = $env:NPM_TOKEN":                                   "",
			"$env:NPM_TOKEN | docker login -u u --password-stdin":   "",
			"echo $env:NPM_TOKEN > f":                               "",
			"echo $env:PATH $env:MAX_TOKENS":                        "",
			"irm https://a.test -Headers @{A = $env:EXAMPLE_TOKEN}": "",
		},
		"cmd": {
			"echo %TOKEN%":                      "env:TOKEN",
			"@echo is %API_KEY:~0,4%":           "env:API_KEY",
			"echo.%API_KEY%":                    "env:API_KEY",
			"if defined X echo %API_KEY%":       "env:API_KEY",
			`cmd /V:ON /C "echo !API_KEY!"`:     "env:API_KEY",
			`powershell -c "echo $env:API_KEY"`: "env:API_KEY",
			"set":                               "env:*",
			"set api_key":                       "env:API_KEY",
			"set A=b":                           "",
			"set PATH":                          "",
			"echo %PATH%":                       "",
			"echo %API_KEY% > f":                "",
			"echo %API_KEY%| docker login -u u --password-stdin": "",
			"if defined API_KEY echo set":                        "",
			"set X=%API_KEY%":                                    "",
			"echo 50%% of !important! things":                    "",
		},
	} {
		for line, want := range lines {
			got := ""
			for _, f := range shells[shell](line, w) {
				if f.Does == "read" && !f.Dry && strings.HasPrefix(f.Path, "env:") {
					got += f.Path
				}
				if f.Does == "unknown" {
					got += f.Because
				}
			}
			if got != want {
				t.Errorf("%s: %s: got %q, want %q", shell, line, got, want)
			}
		}
	}
}

// What is run out of a file of which the name is not known is told as such.
func TestUnknownScripts(t *testing.T) {
	w := World{Dir: "/home/u/project", Home: "/home/u"}
	told := func(fs []hook.Fact) bool {
		for _, f := range fs {
			if f.Does == "unknown" && f.Because == "which script runs shows only when it runs" {
				return true
			}
		}
		return false
	}
	for _, line := range []string{`sh "$F"`, `cat "$X" | sh`, `python3 < "$X"`} {
		if !told(Shell(line, w)) {
			t.Errorf("%s: got %v, want that its script is unknown", line, Shell(line, w))
		}
	}
	if fs := PowerShell("Get-Content $env:X | iex", w); !told(fs) {
		t.Errorf("Get-Content: got %v, want that its script is unknown", fs)
	}
	if fs := Shell(`cat x.sh | sh; sh ./y.sh; cat "$X" | wc`, w); told(fs) {
		t.Errorf("got %v, want no script that is unknown", fs)
	}
}
