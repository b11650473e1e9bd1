// Two tones when something is asked, for who wants them.

import { keep, kept } from "./keep";
import { Signal } from "./signal";

export const sound = new Signal(kept("sound") === "on");
let audio: AudioContext | null = null;

addEventListener("storage", () => sound.set(kept("sound") === "on")); // it is switched for all pages

export function switchSound(): void {
  sound.set(!sound.value);
  keep("sound", sound.value ? "on" : "");
  if (sound.value) ring();
}

/** Rings for a request, in one of the pages: those that nobody has touched yet may make no sound. */
export function chime(code: string): void {
  if (!sound.value || navigator.userActivation?.hasBeenActive === false) return;
  if (!("locks" in navigator)) return ring();
  void navigator.locks.request("hookway-chime-" + code, { ifAvailable: true }, (first) => first && (ring(), new Promise((done) => setTimeout(done, 60_000))));
}

function ring(): void {
  try {
    audio ??= new AudioContext();
    void audio.resume();
    tone(audio, 660, 0);
    tone(audio, 880, 0.16);
  } catch {
    // A computer without sound.
  }
}

function tone(a: AudioContext, hertz: number, after: number): void {
  const from = a.currentTime + after, o = a.createOscillator(), g = a.createGain();
  o.frequency.value = hertz;
  g.gain.setValueAtTime(0.0001, from);
  g.gain.exponentialRampToValueAtTime(0.12, from + 0.02);
  g.gain.exponentialRampToValueAtTime(0.0001, from + 0.3);
  o.connect(g).connect(a.destination);
  o.start(from);
  o.stop(from + 0.32);
}
