// Numbers, times and lengths as people read them. A time is of this computer's zone.

const whole = new Intl.NumberFormat("en");
const two = (n: number) => String(n).padStart(2, "0");

export function count(n: number): string {
  return whole.format(n);
}

/** A number with its word: 1 call, 2 calls. */
export function counted(n: number, one: string, many = one + "s"): string {
  return `${whole.format(n)} ${n === 1 ? one : many}`;
}

/** A large number, shortened: 12.3k. */
export function short(n: number): string {
  if (n < 10_000) return whole.format(n);
  return n < 999_500 ? (n / 1000).toFixed(n < 99_950 ? 1 : 0) + "k" : (n / 1e6).toFixed(1) + "M";
}

/** How long something took. */
export function length(ms: number): string {
  if (!(ms >= 0)) return "–";
  if (ms < 0.995) return `${Math.round(ms * 1000)} µs`;
  if (ms < 9.995) return `${ms.toFixed(2)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

/** The time of the day: 14:02:07. */
export function clock(at: number): string {
  if (Number.isNaN(at)) return "no time";
  const d = new Date(at);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** The day: 2026-11-23. */
export function day(at: number): string {
  const d = new Date(at);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

/** Day and time, to the millisecond. */
export function moment(at: number): string {
  if (Number.isNaN(at)) return "no time";
  return `${day(at)} ${clock(at)}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}`;
}

/** When it was, short: the time of today, else day and time. */
export function when(at: number, now = Date.now()): string {
  if (Number.isNaN(at)) return "no time";
  if (day(at) === day(now)) return clock(at);
  const d = new Date(at);
  const year = d.getFullYear() === new Date(now).getFullYear() ? "" : `${d.getFullYear()}-`;
  return `${year}${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`;
}

/** When it was, to the second, of what may have gone on for days: 11-23 14:02:07. */
export function second(at: number, days: boolean): string {
  return days && !Number.isNaN(at) ? `${day(at).slice(5)} ${clock(at)}` : clock(at);
}

/** How long ago it was. A time to come is told: some clock is off. */
export function ago(at: number, now = Date.now()): string {
  if (Number.isNaN(at)) return "never";
  const s = (now - at) / 1000;
  if (s < -5) return `in ${length(-s * 1000)}`;
  if (s < 5) return "just now";
  if (s < 60) return `${Math.floor(s)} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`;
  return `${Math.floor(s / 86_400)} d ago`;
}

/** A folder, shortened from the left. */
export function folder(path: string, most = 32): string {
  if (path.length <= most) return path;
  const parts = path.split("/");
  let out = parts.pop() ?? "";
  while (parts.length > 0 && out.length + parts[parts.length - 1]!.length + 3 <= most) out = `${parts.pop()}/${out}`;
  return "…/" + out;
}
