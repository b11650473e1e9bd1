// What the exam has a hook do: see hooktest.Behaviour.
import net from "node:net";
import { on } from "hookway";

const play = JSON.parse(process.env.HOOKWAY_EXAM);

const said = () => (play.size ? { action: "continue", inject: "x".repeat(play.size - 34) } : JSON.parse(play.text.replace(/^\ufeff/, "")));

const hang = (signal) =>
  new Promise((_, reject) => {
    const cut = play.probe.lastIndexOf(":");
    const probe = net.connect(Number(play.probe.slice(cut + 1)), play.probe.slice(0, cut));
    signal.addEventListener("abort", () => {
      probe.destroy();
      reject(signal.reason);
    });
  });

const obey = async ({ tool_input }, { signal }) => {
  if (tool_input.do === "hang") return hang(signal);
  if (tool_input.do === "crash") process.kill(process.pid, "SIGKILL");
  return { action: "continue", inject: tool_input.text ?? "", modified: { tool_input } };
};

on("PreToolUse", (event, ctx) => {
  console.log("a banner, which must not be taken for an answer");
  process.stdout.write("and another\n");
  return play.kind === "obeys" ? obey(event, ctx) : said();
});
