// The parts that few templates use, in one module, which is loaded when a template needs one of them.

import { prettyPrinted } from './filters/pretty.js';
import { formatPercent } from './format/percent.js';
import { BATCH_FILTERS } from './filters/batches.js';
import { NUMBER_FILTERS } from './filters/numbers.js';
import { ORDER_FILTERS } from './filters/order.js';
import { RARE_TEXT_FILTERS } from './filters/rare-text.js';
import { RARE_CASE_METHODS } from './methods/case.js';
import { FLOAT_METHODS, INT_METHODS } from './methods/numbers.js';
import { RANGE_METHODS, SET_METHODS, VIEW_METHODS } from './methods/sets.js';
import { PREDICATES } from './methods/predicates.js';
import { RARE_TEXT_METHODS } from './methods/rare-text.js';
import type { RareContents } from './rarely.js';
import { cycler, joiner } from './runtime/cycles.js';
import { formatTime } from './time.js';
import { Complex } from './values/complex.js';

export const contents: RareContents = {
  FLOAT_METHODS,
  INT_METHODS,
  RANGE_METHODS,
  SET_METHODS,
  VIEW_METHODS,
  FILTERS: new Map([...RARE_TEXT_FILTERS, ...NUMBER_FILTERS, ...ORDER_FILTERS, ...BATCH_FILTERS]),
  STR_METHODS: new Map([...RARE_TEXT_METHODS, ...PREDICATES, ...RARE_CASE_METHODS]),
  complexPower: Complex.power,
  cycler,
  joiner,
  formatPercent,
  formatTime,
  prettyPrinted,
};
