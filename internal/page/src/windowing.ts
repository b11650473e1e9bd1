// Which rows of a long list are drawn: those in sight, and some around them. Browsers bound
// how high an element may be, so a very long list is squeezed, and one pixel of its scroll
// bar stands for several of it.

export interface Window {
  from: number; // the first row that is drawn
  to: number; // behind the last
  top: number; // where the first lies, in pixels of the element
}

const highest = 8_000_000; // pixels; engines end between 17 and 33 million

/** How high the element is that holds so many rows. */
export function height(rows: number, row: number): number {
  return Math.min(rows * row, highest);
}

/** The rows to draw at this place of the scroll bar. */
export function windowOf(rows: number, row: number, scroll: number, view: number, around = 8): Window {
  const whole = rows * row, seen = height(rows, row);
  const y = whole === seen ? scroll : (Math.min(scroll, seen - view) / Math.max(1, seen - view)) * Math.max(0, whole - view);
  const first = Math.floor(Math.max(0, y) / row);
  const from = Math.max(0, Math.min(first - around, rows));
  const to = Math.min(rows, first + Math.ceil(view / row) + 1 + around);
  return { from, to, top: whole === seen ? from * row : scroll - (y - from * row) };
}

/** Where the scroll bar must stand so that a row is in sight; where it stands, if it is. */
export function reveal(index: number, rows: number, row: number, scroll: number, view: number): number {
  const whole = rows * row, seen = height(rows, row);
  const ratio = whole === seen ? 1 : Math.max(1, seen - view) / Math.max(1, whole - view);
  const y = scroll / ratio;
  if (index * row < y) return index * row * ratio;
  if ((index + 1) * row > y + view) return ((index + 1) * row - view) * ratio;
  return scroll;
}
