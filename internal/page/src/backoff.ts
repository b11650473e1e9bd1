/** How long to wait before the nth try: twice as long each time, and never all pages at once. */
export function pause(tries: number, most = 15_000, chance = Math.random()): number {
  return Math.min(most, 400 * 2 ** Math.min(tries, 20)) * (0.5 + chance / 2);
}
