// The lexer's tokens.

import type { Value } from './values/object.js';

/** The kind of token: `data`, `name`, `string`, `number`, the four tag delimiters, `end`, or the operator itself. */
export type TokenType = string;

export interface Token {
  type: TokenType;
  /** The text of a name, data, or an operator. */
  text: string;
  /** The value of a string or number. */
  value: Value;
  /** The start in the source, in UTF-16 units. */
  at: number;
}
