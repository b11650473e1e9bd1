import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./element";
import { Button, Dialog, Notice } from "./parts";
import { clip } from "./visible";

/** Asks for the owner's PIN, again where something is wrong with it. It is sent once and kept nowhere. */
export function Pin({ why, onGive, onClose }: { why: string; onGive: (pin: string) => Promise<string>; onClose: () => void }): VNode {
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
