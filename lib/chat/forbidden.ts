// Finds special tokens that `special: 'forbid'` rejects: in the caller's texts, or formed from one and the text around it.

import type { TokensWithOffsets } from '../engine/engine.js';
import { quotedName, TokenizerError } from '../base/errors.js';
import type { ChatInput } from './apply.js';
import { type Rendered, TEMPLATE, type Value } from './jinja/template.js';
import { List } from './jinja/values/containers.js';
import { Dict } from './jinja/values/dict.js';
import { Str } from './jinja/values/str.js';

/** Tokens by their characters. */
interface Branch {
  next: Map<number, Branch>;
  isEnd: boolean;
}

const tries = new WeakMap<ReadonlyMap<string, number>, Branch>();

function trieOf(tokens: ReadonlyMap<string, number>): Branch {
  let root = tries.get(tokens);
  if (root) return root;
  root = { next: new Map(), isEnd: false };
  for (const token of tokens.keys()) {
    let branch = root;
    for (let at = 0; at < token.length; at++) {
      const code = token.charCodeAt(at);
      let next = branch.next.get(code);
      if (!next) branch.next.set(code, (next = { next: new Map(), isEnd: false }));
      branch = next;
    }
    branch.isEnd = true;
  }
  tries.set(tokens, root);
  return root;
}

/** Throws for the first special token in a text of the caller, with the path to it. */
export function forbidSpecialTokens({ messages, tools, documents, variables }: ChatInput, specialIds: ReadonlyMap<string, number>): void {
  const root = trieOf(specialIds);
  visit(messages, 'messages', root);
  visit(tools, 'tools', root);
  visit(documents, 'documents', root);
  visit(variables, 'variables', root);
}

function visit(value: Value, path: string, root: Branch): void {
  if (value instanceof Str) check(value, path, root);
  else if (value instanceof List) value.items.forEach((each, index) => visit(each, `${path}[${index}]`, root));
  else if (value instanceof Dict) {
    for (const { key, value: each } of value.entries()) {
      const name = (key as Str).text;
      check(key as Str, `the key ${quotedName(name)} of ${path}`, root);
      visit(each, /^[\w$]+$/.test(name) ? `${path}.${name}` : `${path}[${quotedName(name)}]`, root);
    }
  }
}

function check({ text, origin }: Str, path: string, root: Branch): void {
  if (origin === TEMPLATE) return;
  for (let from = 0; from < text.length; from++) {
    let branch = root.next.get(text.charCodeAt(from));
    for (let at = from + 1; branch; at++) {
      if (branch.isEnd) refuse(`${path} contains the special token ${quotedName(text.slice(from, at))} at position ${from}`, from);
      branch = branch.next.get(text.charCodeAt(at));
    }
  }
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
