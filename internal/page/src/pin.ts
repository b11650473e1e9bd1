import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { told, who, wrongPIN } from "./daemon";
import { html } from "./element";
import { Button, Dialog, Notice } from "./parts";
import { clip } from "./visible";

/** Something that only the owner may do. */
export interface Deed {
  busy: boolean;
  run: (takesPIN: boolean) => void;
  problem: VNode | false; // why it was not done
  dialog: VNode | false; // that asks for the PIN
}

/** Does what only the owner may: with their PIN where it takes that and one is wanted. why goes on after "Your PIN". */
export function useDeed(why: string, send: (pin: string) => Promise<void>): Deed {
  const [problem, setProblem] = useState(""), [asks, setAsks] = useState(false), [busy, setBusy] = useState(false);
  const give = async (pin: string) => {
    let wrong = "", other = "";
    setBusy(true);
    try {
      await send(pin);
    } catch (err) {
      wrong = pin && wrongPIN(err);
      other = told(err);
    }
    setBusy(false);
    if (wrong) return wrong;
    setProblem(other);
    setAsks(false);
    return "";
  };
  return {
    busy, run: (takesPIN) => (takesPIN && who.value.pin ? setAsks(true) : void give("")),
    problem: problem !== "" && html`<${Notice} kind="bad">${clip(problem, 800)}<//>`,
    dialog: asks && html`<${Pin} why=${why} onGive=${give} onClose=${() => setAsks(false)} />`,
  };
}

/** Asks for the owner's PIN, again where something is wrong with it. It is sent once and kept nowhere. */
function Pin({ why, onGive, onClose }: { why: string; onGive: (pin: string) => Promise<string>; onClose: () => void }): VNode {
  const [pin, setPin] = useState(""), [wrong, setWrong] = useState(""), [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const give = async () => {
    setBusy(true);
    setWrong(await onGive(pin));
    setBusy(false);
    setPin("");
    input.current?.focus();
  };
  return html`<${Dialog} title="Your PIN" onClose=${onClose}><form onSubmit=${(e: Event) => (e.preventDefault(), pin && !busy && void give())}><label>Your PIN ${why}<input ref=${input} class="input" type="password" inputmode="numeric" autocomplete="off" maxlength="64" value=${pin} onInput=${(e: Event) => setPin((e.currentTarget as HTMLInputElement).value)} /></label>${wrong && html`<${Notice} kind="bad">${clip(wrong, 600)}<//>`}
    <div class="dialog-foot"><${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" submit disabled=${pin === "" || busy}>Go on<//></div></form><//>`;
}
