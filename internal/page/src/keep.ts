// What a page keeps in the browser: settings, no data. A browser that keeps nothing is fine.

export function kept(name: string): string {
  try {
    return localStorage.getItem("hookway-" + name) ?? "";
  } catch {
    return "";
  }
}

export function keep(name: string, value: string): void {
  try {
    if (value === "") localStorage.removeItem("hookway-" + name);
    else localStorage.setItem("hookway-" + name, value);
  } catch {
    // It holds until the page is closed.
  }
}
