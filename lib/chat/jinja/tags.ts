// What reads a tag, and the tags that few templates have, which are loaded with the first one that does.

import { Part } from '../parts.js';
import type { Parameters, Statement } from './nodes.js';
import type { ExpressionParser } from './parse-expressions.js';

/** The parser of a template, as tags see it. */
export interface TagParser extends ExpressionParser {
  /** The end of the tag, the statements up to another one, and the name of that. */
  blockTo(end: string): Statement[];
  parameters(): Parameters;
}

/** The rest of a tag, whose name is the current token. */
export type TagReader = (parser: TagParser, at: number) => Statement;

/** What rare-tags.ts has. Throws a MissingPart before it has been loaded. */
export const rareTags = new Part<ReadonlyMap<string, TagReader>>();
