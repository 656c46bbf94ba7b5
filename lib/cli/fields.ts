// Facts for people: a line for each field, numbers with their thousands apart.

const thousands = new Intl.NumberFormat('en');

/** 1,234,567 */
export function inThousands(value: number): string {
  return thousands.format(value);
}

/** A value in lines: objects and lists indented under the name of theirs. */
export function inLines(value: object, indent = ''): string {
  let lines = '';
  for (const [key, field] of Object.entries(value)) {
    const label = Array.isArray(value) ? '-' : `${key}:`;
    const list = Array.isArray(field) && field.every((item) => typeof item !== 'object') ? field.join(', ') : field;
    lines += typeof list === 'object' && list !== null
      ? `${indent}${label}\n${inLines(list as object, `${indent}  `)}`
      : `${indent}${label} ${String(list)}\n`;
  }
  return lines;
}
