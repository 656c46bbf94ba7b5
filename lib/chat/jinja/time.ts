// Python's strftime on Linux, in English and in the host's local time.

import { reserve } from './budget.js';
import { unsupported } from './errors.js';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

interface Field {
  value: number | string;
  width?: number;
  pad?: string;
}

const two = (value: number, pad = '0'): Field => ({ value, width: 2, pad });
const hour12 = (date: Date) => date.getHours() % 12 || 12;

const FIELDS: Record<string, (date: Date) => Field> = {
  a: (date) => ({ value: (DAYS[date.getDay()] as string).slice(0, 3) }),
  A: (date) => ({ value: DAYS[date.getDay()] as string }),
  b: (date) => ({ value: (MONTHS[date.getMonth()] as string).slice(0, 3) }),
  B: (date) => ({ value: MONTHS[date.getMonth()] as string }),
  C: (date) => two(Math.floor(date.getFullYear() / 100)),
  d: (date) => two(date.getDate()),
  e: (date) => two(date.getDate(), ' '),
  f: (date) => ({ value: date.getMilliseconds() * 1000, width: 6, pad: '0' }),
  H: (date) => two(date.getHours()),
  I: (date) => two(hour12(date)),
  k: (date) => two(date.getHours(), ' '),
  l: (date) => two(hour12(date), ' '),
  m: (date) => two(date.getMonth() + 1),
  M: (date) => two(date.getMinutes()),
  n: () => ({ value: '\n' }),
  p: (date) => ({ value: date.getHours() < 12 ? 'AM' : 'PM' }),
  P: (date) => ({ value: date.getHours() < 12 ? 'am' : 'pm' }),
  s: (date) => ({ value: Math.floor(date.getTime() / 1000) }),
  S: (date) => two(date.getSeconds()),
  t: () => ({ value: '\t' }),
  u: (date) => ({ value: date.getDay() || 7 }),
  w: (date) => ({ value: date.getDay() }),
  y: (date) => two(date.getFullYear() % 100),
  Y: (date) => ({ value: date.getFullYear() }),
  // datetime.now() has no time zone.
  z: () => ({ value: '' }),
  Z: () => ({ value: '' }),
  '%': () => ({ value: '%' }),
};

/** Directives composed of others. */
const COMPOSED: Record<string, string> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  h: '%b',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

export function formatTime(date: Date, format: string): string {
  const text = format.replace(/%([-_0^#]?)(\d*)([A-Za-z%])/g, (all, flag: string, width: string, letter: string) => {
    const composed = COMPOSED[letter];
    if (composed !== undefined) return cased(formatTime(date, composed), flag);
    const field = FIELDS[letter]?.(date);
    if (!field) return 'gGjUVW'.includes(letter) ? unsupported(`the date as %${letter}`) : all;
    const pad = flag === '-' ? '' : flag === '_' ? ' ' : flag === '0' ? '0' : (field.pad ?? (typeof field.value === 'number' ? '0' : ' '));
    const size = width === '' ? (field.width ?? 0) : Math.min(Number(width), 1000);
    return cased(pad === '' ? String(field.value) : String(field.value).padStart(size, pad), flag);
  });
  reserve(text.length);
  return text;
}

function cased(text: string, flag: string): string {
  return flag === '^' || flag === '#' ? text.toUpperCase() : text;
}
