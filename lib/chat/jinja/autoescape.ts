// Whether what is printed is escaped: off, except inside `{% autoescape true %}`. Rendering is synchronous, so there is one.

let isOn = false;

export function autoescapes(): boolean {
  return isOn;
}

/** Returns how it was. */
export function setAutoescape(on: boolean): boolean {
  const before = isOn;
  isOn = on;
  return before;
}
