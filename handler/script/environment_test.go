package script

import (
	"context"
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestTheEnvironmentIsBounded: a script sees what everybody needs and what its own text,
// or its user, names; one that may run programs sees all.
func TestTheEnvironmentIsBounded(t *testing.T) {
	t.Setenv("SECRET_KEY", "k")
	t.Setenv("SLACK_WEBHOOK", "w")
	t.Setenv("FOR_PACKAGE", "p")
	t.Setenv("IN_CONFIG", "c")
	t.Setenv("HOOKWAY_TOKEN", "t")
	t.Setenv("HOOKWAY_SEEN", "h")
	t.Setenv("LC_ALL", "C")
	text := map[string]string{
		"node_modules/pkg/index.js": "exports.own = process.env.FOR_PACKAGE ?? 'none'; exports.all = () => Object.keys(process.env);\n",
		"lib.ts":                    "export const hook = (name: string) => process.env['SLACK_' + name];\nexport const named = 'SLACK_WEBHOOK';\n",
		"hook.ts": `import { own, all } from "pkg"; import { hook } from "./lib";
export default (event: any, ctx: any) => {
  const has = (name: string) => [process.env[name] ?? "none", name in process.env, all().includes(name), name in ctx.env];
  const s = (...parts: string[]) => parts.join("_");
  return { action: "block", reason: JSON.stringify([has(s("SECRET", "KEY")), hook("WEBHOOK"), own, has(s("IN", "CONFIG"))[0], has(s("HOOKWAY", "TOKEN"))[0], has(s("HOOKWAY", "SEEN"))[0], has(s("LC", "ALL"))[0], "PATH" in ctx.env]) };
};
`}
	for name, c := range map[string]struct {
		grants   []Grant
		settings string
		want     string
	}{
		"nothing":  {nil, "", `[["none",false,false,false],"w","none","none","none","h","C",true]`},
		"net":      {[]Grant{Net, Read, Write}, "", `[["none",false,false,false],"w","none","none","none","h","C",true]`},
		"settings": {nil, `{"url": "${IN_CONFIG}"}`, `[["none",false,false,false],"w","none","c","none","h","C",true]`},
		"exec":     {[]Grant{Exec}, "", `[["k",true,true,true],"w","p","c","t","h","C",true]`},
	} {
		t.Run(name, func(t *testing.T) {
			r := runIn(t, files(t, text), c.grants...)
			r.p.Configure([]byte(c.settings))
			d, err := r.Handle(context.Background(), bash("ls"))
			if err != nil || d.Action != hook.ActionBlock || d.Reason != c.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, d.Reason, c.want)
			}
		})
	}
}
