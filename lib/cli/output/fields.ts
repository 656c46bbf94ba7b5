// Facts for people: a line for each field, and numbers with thousands separators.

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** 1,234,567, of an integer. Not by Intl, which takes 15 ms to load. */
export function inThousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 1.50 MiB */
export function inBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? Math.round(value) : value.toPrecision(3)} ${UNITS[power]}`;
}

/** 90 s, 12 min, 3 h 20 min */
export function inTime(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1 record`, `2,000 records`; `plural`: where it takes more than an s. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${inThousands(count)} ${count === 1 ? noun : plural}`;
}

/** A value in lines: objects and lists are indented under their name. */
export function inLines(value: object, indent = ''): string {
  let lines = '';
  for (const [key, field] of Object.entries(value)) {
    const label = Array.isArray(value) ? '-' : `${key}:`;
    lines += isNested(field) ? `${indent}${label}\n${inLines(field, `${indent}  `)}` : `${indent}${label} ${inOneLine(field)}\n`;
  }
  return lines;
}

/** Whether a field needs lines of its own. */
function isNested(field: unknown): field is object {
  if (typeof field !== 'object' || field === null) return false;
  const values = Object.values(field);
  return Array.isArray(field) ? values.some((item) => typeof item === 'object') : values.length > 0;
}

function inOneLine(field: unknown): string {
  if (Array.isArray(field) && field.length > 0) return field.join(', ');
  return typeof field === 'object' && field !== null ? 'none' : String(field);
}
