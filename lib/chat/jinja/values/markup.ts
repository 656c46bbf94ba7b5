// Markup: text that needs no HTML escaping. Anything added to it is escaped.

import type { Value } from './object.js';
import { Str, TextBuilder } from './str.js';
import { toStr } from './writer.js';
import { scan } from '../budget.js';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

/** The text as Markup, escaped unless it is Markup already. */
export function escape(value: Value): Str {
  if (value instanceof Str && value.markup) return value;
  const str = toStr(value);
  scan(str.text.length);
  if (!/[&<>'"]/.test(str.text)) return str.as(true);
  const builder = new TextBuilder();
  let from = 0;
  for (const { 0: character, index } of str.text.matchAll(/[&<>'"]/g)) {
    builder.addPart(str, from, index);
    // An entity represents the character, so it keeps the character's origin.
    builder.addText(ENTITIES[character] as string, str.part(index, index + 1).origin);
    from = index + 1;
  }
  builder.addPart(str, from, str.text.length);
  return builder.finish(true);
}
