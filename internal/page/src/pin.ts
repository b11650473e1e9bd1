import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./element";
import { Button, Dialog } from "./parts";

/** Asks for the owner's PIN. It is sent once and kept nowhere. */
export function Pin({ why, onGive, onClose }: { why: string; onGive: (pin: string) => void; onClose: () => void }): VNode {
  const [pin, setPin] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return html`<${Dialog} title="Your PIN" onClose=${onClose}><form onSubmit=${(e: Event) => {
    e.preventDefault();
    if (pin) onGive(pin);
  }}><label>Your PIN ${why}<input ref=${input} class="input" type="password" inputmode="numeric" autocomplete="off" maxlength="64" value=${pin} onInput=${(e: Event) => setPin((e.currentTarget as HTMLInputElement).value)} /></label>
    <div class="dialog-foot"><${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" submit disabled=${pin === ""}>Go on<//></div></form><//>`;
}
