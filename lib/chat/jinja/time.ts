// Python's strftime, in English and in the host's local time, for the directives that prompts have.

import { reserve } from './budget.js';
import { unsupported } from './errors.js';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

const padded = (value: number, width = 2) => String(value).padStart(width, '0');

const FIELDS: Record<string, (date: Date) => string> = {
  a: (date) => (DAYS[date.getDay()] as string).slice(0, 3),
  A: (date) => DAYS[date.getDay()] as string,
  b: (date) => (MONTHS[date.getMonth()] as string).slice(0, 3),
  B: (date) => MONTHS[date.getMonth()] as string,
  d: (date) => padded(date.getDate()),
  f: (date) => padded(date.getMilliseconds() * 1000, 6),
  F: (date) => formatTime(date, '%Y-%m-%d'),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(date.getHours() % 12 || 12),
  m: (date) => padded(date.getMonth() + 1),
  M: (date) => padded(date.getMinutes()),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  S: (date) => padded(date.getSeconds()),
  T: (date) => formatTime(date, '%H:%M:%S'),
  w: (date) => String(date.getDay()),
  y: (date) => padded(date.getFullYear() % 100),
  Y: (date) => String(date.getFullYear()),
  '%': () => '%',
};

/** `%-d` is without a zero in front. */
export function formatTime(date: Date, format: string): string {
  const text = format.replace(/%(-?)(.?)/gs, (all, minus: string, letter: string) => {
    const field = FIELDS[letter]?.(date);
    if (field === undefined || (minus && !/^\d{2}$/.test(field))) return unsupported(`the date as ${all}`);
    return minus ? field.replace(/^0/, '') : field;
  });
  reserve(text.length);
  return text;
}
