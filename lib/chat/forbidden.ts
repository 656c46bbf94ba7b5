// Finds special tokens that `special: 'forbid'` rejects: in the caller's texts, or formed from one and the text around it.

import { quotedName, TokenizerError } from '../base/errors.js';
import type { TokensWithOffsets } from '../engine/engine.js';
import type { ChatInput } from './apply.js';
import { type Rendered, TEMPLATE, type Value } from './jinja/template.js';
import { Dict } from './jinja/values/dict.js';
import { List } from './jinja/values/list.js';
import { Str } from './jinja/values/text.js';

const searches = new WeakMap<ReadonlyMap<string, number>, RegExp>();

/** Finds the first special token, and of several there the shortest. */
function searchFor(tokens: ReadonlyMap<string, number>): RegExp {
  let search = searches.get(tokens);
  if (!search) {
    const texts = [...tokens.keys()].sort((a, b) => a.length - b.length).map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    search = new RegExp(texts.length > 0 ? texts.join('|') : '(?!)');
    searches.set(tokens, search);
  }
  return search;
}

/** Throws for the first special token in a text of the caller, with the path to it. */
export function forbidSpecialTokens({ messages, tools, documents, variables }: ChatInput, specialIds: ReadonlyMap<string, number>): void {
  const search = searchFor(specialIds);
  visit(messages, 'messages', search);
  visit(tools, 'tools', search);
  visit(documents, 'documents', search);
  visit(variables, 'variables', search);
}

function visit(value: Value, path: string, search: RegExp): void {
  if (value instanceof Str) check(value, path, search);
  else if (value instanceof List) value.items.forEach((each, index) => visit(each, `${path}[${index}]`, search));
  else if (value instanceof Dict) {
    for (const { key, value: each } of value.entries()) {
      const name = (key as Str).text;
      check(key as Str, `the key ${quotedName(name)} of ${path}`, search);
      visit(each, /^[\w$]+$/.test(name) ? `${path}.${name}` : `${path}[${quotedName(name)}]`, search);
    }
  }
}

function check({ text, origin }: Str, path: string, search: RegExp): void {
  const found = origin === TEMPLATE ? null : search.exec(text);
  if (found) refuse(`${path} contains the special token ${quotedName(found[0])} at position ${found.index}`, found.index);
}

function refuse(what: string, position: number): never {
  throw new TokenizerError(`${what} and special tokens are forbidden`, { code: 'SPECIAL_FORBIDDEN', position });
}

/** Throws for the first special token of a rendered chat that the template did not write entirely. */
export function forbidSpecialTokensIn(
  { ids, offsets }: TokensWithOffsets,
  { text, ends, origins }: Rendered,
  specialIds: ReadonlyMap<string, number>,
): void {
  const special = new Set(specialIds.values());
  let run = 0;
  ids.forEach((id, index) => {
    if (!special.has(id)) return;
    const [from, to] = [offsets[2 * index] as number, offsets[2 * index + 1] as number];
    while ((ends[run] as number) <= from) run++;
    for (let at = run; at < ends.length && (at === run || (ends[at - 1] as number) < to); at++) {
      const origin = origins[at] as number;
      if (origin === TEMPLATE) continue;
      const whose = origin >= 0 ? `messages[${origin}]` : 'what the caller hands over';
      refuse(`text of ${whose} is part of the special token ${quotedName(text.slice(from, to))} of the chat`, from);
    }
  });
}
