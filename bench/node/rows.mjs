/**
 * The results: flat rows, one per measurement, so that two files are compared by matching rows.
 *
 * @typedef {object} Row
 * @property {string} section
 * @property {string} encoding '' if it does not matter
 * @property {string} text the measured text
 * @property {string} operation
 * @property {string} contender
 * @property {'MB/s' | 'Mtok/s' | 'ns' | 'µs' | 'ms' | 'MB' | '×' | 'exact'} unit more is better for MB/s and Mtok/s,
 *   less for the others; × is the factor over the time of what `operation` names
 * @property {number | null} value the median; null if nothing could be measured
 * @property {number} [low]
 * @property {number} [high]
 * @property {number} [ratio] of this contender's value to that of the first one: the median over the rounds
 * @property {string} [note] why there is no value, or what is unusual about it
 */
import { median } from './timing.mjs';

export class Rows {
  /** @type {Row[]} */
  all = [];

  /** @param {Omit<Row, 'value'> & { samples: number[] }} row with every sample, of which the median is kept */
  add({ samples, ...row }) {
    this.all.push({
      ...row,
      value: samples.length > 0 ? rounded(median(samples)) : null,
      ...(samples.length > 1 && { low: rounded(Math.min(...samples)), high: rounded(Math.max(...samples)) }),
    });
  }
}

/** @param {Row[]} rows @returns {Row | undefined} the first row that has these fields */
export function rowWith(rows, fields) {
  return rows.find((row) => Object.entries(fields).every(([name, value]) => row[name] === value));
}

/** Four significant digits. */
function rounded(value) {
  return Number(value.toPrecision(4));
}

/** The fields that identify a row. */
export function keyOf(row) {
  return [row.section, row.encoding, row.text, row.operation, row.contender].join(' | ');
}

export function higherIsBetter(unit) {
  return unit === 'MB/s' || unit === 'Mtok/s' || unit === 'exact';
}
