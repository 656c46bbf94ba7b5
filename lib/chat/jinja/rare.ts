// The rarely used parts, in one module that is loaded when a template needs one of them.

import type { RareStatements } from './compile/rarely.js';
import { compileRecursive, oddities, refuseLoopTarget } from './compile/rare-loops.js';
import { checkedBlocks, checkParameters, compileRare, selfReference } from './compile/rare-statements.js';
import { unescapedAt } from './escapes.js';
import { formatPercent } from './format/percent.js';
import { BATCH_FILTERS } from './filters/batches.js';
import { NUMBER_FILTERS } from './filters/numbers.js';
import { ORDER_FILTERS } from './filters/order.js';
import { RARE_TEXT_FILTERS } from './filters/rare-text.js';
import { RARE_CASE_METHODS } from './methods/rare-case.js';
import { FLOAT_METHODS, INT_METHODS } from './methods/numbers.js';
import { RANGE_METHODS, SET_METHODS, VIEW_METHODS } from './methods/sets.js';
import { countLines, countParts } from './methods/parts.js';
import { PREDICATES } from './methods/predicates.js';
import { RARE_SEARCH_METHODS } from './methods/rare-search.js';
import { RARE_TEXT_METHODS } from './methods/rare-text.js';
import type { RareContents } from './rarely.js';
import { macroAttribute } from './runtime/macro-shape.js';
import { cycler, joiner } from './runtime/cycles.js';
import { tokenName, unendedTag, unexpectedToken, unknownTag } from './complaints.js';
import { divide, floorDivide, power } from './values/division.js';

export const contents: RareContents = {
  FLOAT_METHODS,
  INT_METHODS,
  RANGE_METHODS,
  SET_METHODS,
  VIEW_METHODS,
  FILTERS: new Map([...RARE_TEXT_FILTERS, ...NUMBER_FILTERS, ...ORDER_FILTERS, ...BATCH_FILTERS]),
  STR_METHODS: new Map([...RARE_TEXT_METHODS, ...RARE_SEARCH_METHODS, ...PREDICATES, ...RARE_CASE_METHODS]),
  divide,
  floorDivide,
  power,
  cycler,
  joiner,
  formatPercent,
  countParts,
  countLines,
  macroAttribute,
  unescapedAt,
  tokenName,
  unendedTag,
  unexpectedToken,
  unknownTag,
};

export const statements: RareStatements = {
  checkedBlocks,
  checkParameters,
  compileRare,
  compileRecursive,
  oddities,
  refuseLoopTarget,
  selfReference,
};

export { TAGS as tags } from './rare-tags.js';
