// Whether output is escaped: off, except inside `{% autoescape true %}`. Rendering is synchronous, so one flag suffices.

let isOn = false;

export function autoescapes(): boolean {
  return isOn;
}

/** Returns the previous setting. */
export function setAutoescape(on: boolean): boolean {
  const before = isOn;
  isOn = on;
  return before;
}
