/** JSON text with numbers as they are written: `1.0` and `1e16` are other values than `1` to Python. */

/** A number by its text. */
export class NumberText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** @param {unknown} value plain data in which NumberTexts may be; what is undefined is left out @returns {string} */
export function jsonText(value) {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}: ${jsonText(each)}`).join(', ')}}`;
}
