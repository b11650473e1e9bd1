package script

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestWhatIsGivenUpStopsNoOther: an event that is given up just as its code ends stops
// neither the event behind it nor the one that waits in the same machine.
func TestWhatIsGivenUpStopsNoOther(t *testing.T) {
	r := run(t, `const wait = (n: number) => new Promise((r) => setTimeout(r, n));
export default async (event: any) => {
  const command = event.tool_input.command;
  if (command === "given up") { console.log(command); return; }
  let n = 0;
  for (let i = 0; i < 4000; i++) n += i;
  await wait(0);
  for (let i = 0; i < 4000; i++) n += i;
  return { action: "block", reason: command };
};`)
	for i := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		given := make(chan error, 1)
		go func() { _, err := r.Handle(ctx, bash("given up")); given <- err }()
		<-r.printed
		others := make(chan error, 2)
		for n := range 2 {
			go func() {
				command := fmt.Sprint("rm ", n)
				d, err := r.Handle(context.Background(), bash(command))
				if err == nil && d.Reason != command {
					err = fmt.Errorf("%s was answered with %+v", command, d)
				}
				others <- err
			}()
		}
		cancel()
		<-given
		for range 2 {
			if err := <-others; err != nil {
				t.Fatalf("time %d: %v", i, err)
			}
		}
	}
}

// TestOneThatIsStoppedTakesNoOtherWithIt: an event that waits while another's loop is
// stopped, or another fills the memory, goes on, and what it fires then is asked, or it
// says that it was lost.
func TestOneThatIsStoppedTakesNoOtherWithIt(t *testing.T) {
	for harm, lost := range map[string]error{"loop": nil, "later": nil, "full": errLostWith} {
		t.Run(harm, func(t *testing.T) {
			r := run(t, fireHead+`let due = false;
on("guard", {}, async () => { await null; return HookResponse.block("good"); });
export default async (event: any) => {
  switch (event.tool_input.command) {
  case "loop": due = true; console.log("begun"); for (;;);
  case "later": due = true; await null; console.log("begun"); for (;;);
  case "full": console.log("begun"); for (let s = []; ;) s.push(new Uint8Array(1 << 22));
  }
  console.log("begun");
  while (!due) await new Promise((r) => setTimeout(r, 1));
  const r: any = await engine.fire(tool("Bash"));
  return r.action === "Block" ? { action: "block", reason: r.reason } : undefined;
};`)
			waiting := make(chan error, 1)
			go func() {
				d, err := r.Handle(context.Background(), bash("wait"))
				if err == nil && d.Reason != "good" {
					err = fmt.Errorf("it gave %+v", d)
				}
				waiting <- err
			}()
			<-r.printed
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			harmed := make(chan error, 1)
			go func() { _, err := r.Handle(ctx, bash(harm)); harmed <- err }()
			<-r.printed
			if lost == nil {
				cancel()
			}
			if err := <-harmed; err == nil {
				t.Error("what did harm did not fail")
			}
			if err := <-waiting; !errors.Is(err, lost) {
				t.Errorf("it gave %v", err)
			}
		})
	}
}
