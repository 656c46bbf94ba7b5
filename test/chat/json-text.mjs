/** JSON text that keeps numbers as written: to Python, `1.0` and `1e16` are not the integer `1`. */

/** A number by its text. */
export class NumberText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** @param {unknown} value plain data that may contain NumberTexts; undefined members are omitted @returns {string} */
export function jsonText(value) {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}: ${jsonText(each)}`).join(', ')}}`;
}
