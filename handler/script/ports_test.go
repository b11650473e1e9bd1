package script

import (
	"testing"
	"time"
)

// What packages look for when they are read: ports, lists of addresses, and a
// function require behind which a bundler left a module of Node.
func TestWhatPackagesLookForWhenTheyAreRead(t *testing.T) {
	dir := files(t, map[string]string{"hook.ts": `import net from "node:net";
const shim = ((x) => typeof require !== "undefined" ? require : x)(function (x) { throw Error('Dynamic require of "' + x + '" is not supported'); });
const list = new net.BlockList();
list.addAddress("10.0.0.1");
list.addRange("10.1.0.5", "10.1.0.9");
list.addSubnet("192.168.0.0", 16);
list.addSubnet("fe80::", 10, "ipv6");
const is = (a, f) => list.check(a, f) ? 1 : 0;
export default async () => {
  const { port1, port2 } = new MessageChannel();
  const heard = new Promise((r) => { port2.onmessage = (e) => r(e.data.n); });
  port1.postMessage({ n: port1 instanceof MessagePort ? 7 : 0 });
  let wrong = "";
  try { list.addAddress("10.0.0.256"); } catch (e) { wrong = e.code; }
  return { action: "block", reason: [shim("process").argv !== undefined, await heard, wrong,
    is("10.0.0.1"), is("10.0.0.2"), is("10.1.0.4"), is("10.1.0.9"), is("192.168.255.255"), is("192.169.0.0"), is("fe80::1", "ipv6"), is("fec0::1", "ipv6"), is("::ffff:10.0.0.1", "ipv6"), is("none")].join() };
};
`})
	if d, err := limited(runIn(t, dir), time.Minute, "ls"); err != nil || d.Reason != "true,7,ERR_INVALID_ADDRESS,1,0,0,1,1,0,1,0,1,0" {
		t.Errorf("it gave %+v, %v", d, err)
	}
}
