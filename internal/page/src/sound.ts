// Two tones when something is asked, for who wants them.

import { keep, kept } from "./keep";
import { Signal } from "./signal";

export const sound = new Signal(kept("sound") === "on");
let audio: AudioContext | null = null;

export function switchSound(): void {
  sound.set(!sound.value);
  keep("sound", sound.value ? "on" : "");
  if (sound.value) chime();
}

export function chime(): void {
  if (!sound.value) return;
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
