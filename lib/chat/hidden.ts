// Special tokens in the strings of a chat, hidden from the template and the tokenizer: one character of each is replaced by
// one that is nowhere else, and put back when the text is cut where the template has written special tokens.
//
// Invariant: no special token of the rendered text has a character of a hidden string in it but in its middle, with the
// template's own text on both sides. So neither one string nor two next to each other can make one, nor the end of one with
// what the template writes behind it. `role` is not hidden: `<|` + role + `|>` is how some templates name it.

import type { ChatRequest, Plain } from '../tokenizer/chat.js';
import { quotedName, TokenizerError } from '../tokenizer/errors.js';

/** Tokens by their characters: node n has the transitions next[n], and a token ends there if it is an end. */
class Trie {
  readonly next: Map<number, number>[] = [new Map()];
  readonly ends: boolean[] = [false];

  add(text: string, from: number, to: number, step: number): void {
    let node = 0;
    for (let at = from; at !== to; at += step) {
      const code = text.charCodeAt(at);
      let next = this.step(node, code);
      if (next === undefined) {
        next = this.next.push(new Map()) - 1;
        this.ends.push(false);
        this.next[node]?.set(code, next);
      }
      node = next;
    }
    this.ends[node] = true;
  }

  step(node: number, code: number): number | undefined {
    return this.next[node]?.get(code);
  }
}

/** A place of a special token in a string. */
interface Found {
  /** `messages[0].content`. */
  name: string;
  position: number;
  token: string;
}

/** A chat whose strings no special token is in, and how to see what was there. */
export interface HiddenChat {
  request: ChatRequest;
  reveal(rendered: string): string;
}

/** The strings of a chat by what special tokens they have. */
export class SpecialFinder {
  readonly #forward = new Trie();
  readonly #backward = new Trie();
  readonly #tokens: readonly string[];
  readonly #longest: number;

  constructor(tokens: Iterable<string>) {
    this.#tokens = [...tokens];
    this.#longest = Math.max(0, ...this.#tokens.map(({ length }) => length));
    for (const token of this.#tokens) {
      this.#forward.add(token, 0, token.length, 1);
      this.#backward.add(token, token.length - 1, -1, -1);
    }
  }

  /** The first special token in a string of the chat. */
  first(request: ChatRequest): Found | undefined {
    let found: Found | undefined;
    mapStrings(request, (text, name) => {
      for (let at = 0; at < text.length && !found; at++) {
        const end = this.#matchEnd(text, at);
        if (end > 0) found = { name, position: at, token: text.slice(at, end) };
      }
      return text;
    });
    return found;
  }

  /** `others`: texts besides the request that are in the rendered one. Undefined if there is nothing to hide. */
  hide(request: ChatRequest, others: readonly string[]): HiddenChat | undefined {
    const characters = new Set<string>();
    const texts: string[] = [...this.#tokens, ...others];
    mapStrings(request, (text) => {
      texts.push(text);
      for (const at of this.#places(text)) characters.add(text.charAt(at));
      return text;
    });
    if (characters.size === 0) return undefined;
    const standIns = unusedCharacters(texts, characters.size);
    const hidden = new Map([...characters].map((character, index) => [character, standIns[index] as string]));
    const shown = new Map([...hidden].map(([character, standIn]) => [standIn, character]));
    const hide = (text: string) => {
      const places = this.#places(text);
      if (places.size === 0) return text;
      return Array.from({ length: text.length }, (_, at) => text.charAt(at))
        .map((character, at) => (places.has(at) ? (hidden.get(character) as string) : character))
        .join('');
    };
    // A template may write them as JSON in ASCII.
    const pattern = standIns.map((each) => `${each}|\\\\u${each.charCodeAt(0).toString(16)}`).join('|');
    const reveal = (rendered: string) =>
      rendered.replace(new RegExp(pattern, 'g'), (found) =>
        shown.get(found.length === 1 ? found : String.fromCharCode(Number.parseInt(found.slice(2), 16))) as string,
      );
    return { request: mapStrings(request, hide), reveal };
  }

  /** The places of the characters to hide. */
  #places(text: string): Set<number> {
    const places = new Set<number>();
    for (let at = 0; at < text.length; at++) if (this.#matchEnd(text, at) > 0) places.add(at);
    // A template may trim.
    const begin = text.length - text.trimStart().length;
    const end = text.trimEnd().length;
    for (const from of new Set([0, begin])) this.#markBeginning(text, from, places);
    for (const to of new Set([text.length, end])) this.#markEnd(text, to, places);
    return places;
  }

  /** Where the shortest token ends that begins here; 0 if none does. */
  #matchEnd(text: string, from: number): number {
    let node: number | undefined = 0;
    for (let at = from; at < text.length; at++) {
      node = this.#forward.step(node, text.charCodeAt(at));
      if (node === undefined) return 0;
      if (this.#forward.ends[node]) return at + 1;
    }
    return 0;
  }

  /** What the text begins with at `from` may be the end of a token. */
  #markBeginning(text: string, from: number, places: Set<number>): void {
    const most = Math.min(text.length, from + this.#longest);
    for (let end = from + 1; end <= most; end++) {
      let node: number | undefined = 0;
      for (let at = end - 1; at >= from && node !== undefined; at--) node = this.#backward.step(node, text.charCodeAt(at));
      if (node !== undefined) places.add(end - 1);
    }
  }

  /** What the text ends with at `to` may be the beginning of a token. */
  #markEnd(text: string, to: number, places: Set<number>): void {
    for (let begin = Math.max(0, to - this.#longest); begin < to; begin++) {
      let node: number | undefined = 0;
      for (let at = begin; at < to && node !== undefined; at++) node = this.#forward.step(node, text.charCodeAt(at));
      if (node !== undefined) places.add(begin);
    }
  }
}

/** Throws for a special token in a chat that may have none. */
export function forbidSpecial(found: Found | undefined): void {
  if (!found) return;
  const { name, position, token } = found;
  const message = `${name} contains the special token ${quotedName(token)} at position ${position} and special tokens are forbidden`;
  throw new TokenizerError(message, { code: 'SPECIAL_FORBIDDEN', position });
}

/** The request with its strings replaced, except for the roles of messages and the names of keys. */
function mapStrings(request: ChatRequest, change: (text: string, name: string) => string): ChatRequest {
  const mapped = (value: Plain, name: string, isMessage: boolean): Plain => {
    if (typeof value === 'string') return change(value, name);
    if (Array.isArray(value)) return value.map((each, index) => mapped(each, `${name}[${index}]`, false));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, each]): [string, Plain] => {
      return [key, isMessage && key === 'role' ? each : mapped(each, `${name}.${key}`, false)];
    });
    return Object.fromEntries(entries);
  };
  const list = (values: Plain[], name: string, areMessages: boolean) =>
    values.map((each, index) => mapped(each, `${name}[${index}]`, areMessages));
  return {
    ...request,
    messages: list(request.messages, 'messages', true),
    tools: request.tools && list(request.tools, 'tools', false),
    documents: request.documents && list(request.documents, 'documents', false),
  };
}

const FIRST = 0xe000;
const LAST = 0xf8ff;

/** Characters for private use that none of the texts has, nor their names in JSON. */
function unusedCharacters(texts: readonly string[], count: number): string[] {
  const used = new Set<number>();
  for (const text of texts) {
    for (const [found] of text.matchAll(/[\ue000-\uf8ff]|\\u[ef][0-9a-f]{3}/gi)) {
      used.add(found.length === 1 ? found.charCodeAt(0) : Number.parseInt(found.slice(2), 16));
    }
  }
  const unused: string[] = [];
  for (let code = FIRST; code <= LAST && unused.length < count; code++) if (!used.has(code)) unused.push(String.fromCharCode(code));
  if (unused.length === count) return unused;
  throw new RangeError("expected texts without all characters for private use for messages, as special: 'template' needs some");
}
