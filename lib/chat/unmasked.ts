// Chats that encode as one text with all special tokens allowed, although the callers' are not: nearly all chats. Such a text can be
// known by its beginning, for which a mask of who wrote what is in the way.
//
// Where no control token contains a caller's byte, the ids under a mask are those with all special tokens allowed (crayon.h). So the
// control tokens are looked for in the text, and each has to be where the template wrote it. Harmony has every text between its
// control tokens encoded alone; where two texts meet, another special token is put between them, and its id is taken out again.

import type { ChatCall } from '../tokenizer/chat.js';
import type { UnmaskedChat } from '../tokenizer/chat-renderer.js';
import type { AddedToken, EngineTokenizer } from '../engine/engine.js';
import type { Piece } from './harmony/render.js';
import type { Rendered } from './jinja/template.js';
import type { Steps } from './steps.js';

/** The text of a chat; undefined if it has none. `steps`: those of encoding a chat. */
export function unmaskedChat({ request, own, engine, specialIds }: ChatCall, steps: Steps): UnmaskedChat | undefined {
  const { special } = request;
  if (steps.isHarmony(request, own, specialIds)) return unmaskedPieces(steps.harmony.contents.piecesOf(request), engine);
  const chosen = steps.prepared(request, own);
  if (special === 'forbid') steps.forbidding.contents.forbidSpecialTokens(chosen.input, specialIds);
  const rendered = chosen.render();
  if (special === 'forbid' && !isInnocent(rendered, engine)) return undefined;
  if (special === 'template' && !isUnmasked(rendered, steps.controlTokens(chosen.template, engine), engine)) return undefined;
  return { text: rendered.text, separators: 0 };
}

/** Finds where tokens may begin, by their first units, and the longest that begins there. */
interface TokenSearch {
  readonly starts: RegExp;
  readonly tokens: RegExp;
}

/** Null if the places of control tokens in a text are not those of their texts. */
type Search = TokenSearch | null;

const NONE = new Uint32Array(0);

/** Of a vocabulary, by the control tokens besides the special ones: a template has few or none. */
const searches = new WeakMap<EngineTokenizer, Map<string, Search>>();

/** Whether no control token contains a caller's byte. `control`: added tokens besides the special ones. */
function isUnmasked({ text, ranges }: Rendered, control: Uint32Array, engine: EngineTokenizer): boolean {
  const search = searchOfControl(control, engine);
  return search !== null && isWithin(text, ranges, search);
}

/** Whether there is nothing to forbid. White space that a token includes counts, so one that does is left to a closer look. */
function isInnocent(rendered: Rendered, engine: EngineTokenizer): boolean {
  const { addedTokens } = engine.describe();
  const stripping = addedTokens.filter(({ special, strips, neverFound }) => special && strips && !neverFound);
  return isUnmasked(rendered, NONE, engine) && !stripping.some(({ text }) => rendered.text.includes(text));
}

function searchOfControl(control: Uint32Array, engine: EngineTokenizer): Search {
  let known = searches.get(engine);
  if (!known) searches.set(engine, (known = new Map<string, Search>()));
  const key = control.join();
  let search = known.get(key);
  if (search === undefined) known.set(key, (search = searchFor(engine, ({ special, id }) => special || control.includes(id))));
  return search;
}

function searchFor(engine: EngineTokenizer, isControl: (token: AddedToken) => boolean): Search {
  const { addedTokens, normalizer } = engine.describe();
  const tokens = addedTokens.filter((token) => !token.neverFound && isControl(token));
  // One that is found after normalizing, or in place of a lone surrogate, can come from another text.
  if (tokens.some(({ text, normalized }) => (normalized && normalizer !== '') || text.includes('\ufffd'))) return null;
  return searchOf(tokens);
}

function searchOf(tokens: readonly AddedToken[]): TokenSearch {
  const texts = tokens.map(({ text }) => text).sort((a, b) => b.length - a.length);
  // Vocabularies have hundreds of such tokens, nearly all of which begin alike.
  const starts = [...new Set(texts.map((text) => text.slice(0, 2)))].sort((a, b) => b.length - a.length);
  return { starts: anyOf(starts, 'g'), tokens: anyOf(texts, 'y') };
}

function anyOf(texts: readonly string[], flags: string): RegExp {
  const escaped = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(escaped.length > 0 ? escaped.join('|') : '(?!)', flags);
}

/** Whether all that is found, overlapping or not, lies within ranges: start and end of each, ascending. */
function isWithin(text: string, ranges: ArrayLike<number>, { starts, tokens }: TokenSearch): boolean {
  let range = 0;
  starts.lastIndex = 0;
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const { index } = start;
    starts.lastIndex = index + 1;
    tokens.lastIndex = index;
    if (!tokens.test(text)) continue;
    const end = tokens.lastIndex;
    while (range < ranges.length && (ranges[range + 1] as number) < end) range += 2;
    if (range >= ranges.length || (ranges[range] as number) > index) return false;
  }
  return true;
}

/** What a vocabulary's chats in harmony share; null if their texts cannot be put together. */
type Joining = { readonly tokens: readonly AddedToken[]; readonly search: TokenSearch } | null;

const joinings = new WeakMap<EngineTokenizer, Joining>();

function joiningFor(engine: EngineTokenizer): Joining {
  const { addedTokens, model, normalizer } = engine.describe();
  const tokens = addedTokens.filter(({ neverFound }) => !neverFound);
  const arePlain = tokens.every(({ special, strips, singleWord }) => special && !strips && !singleWord);
  // Such a model encodes the text between special tokens alone.
  if (!arePlain || model !== 'bpe' || normalizer !== '' || tokens.some(({ text }) => text.includes('\ufffd'))) return null;
  return { tokens, search: searchOf(tokens) };
}

/** A chat in harmony as one text; undefined if that has other ids. */
function unmaskedPieces(pieces: readonly Piece[], engine: EngineTokenizer): UnmaskedChat | undefined {
  let joining = joinings.get(engine);
  if (joining === undefined) joinings.set(engine, (joining = joiningFor(engine)));
  if (joining === null) return undefined;
  const written = new Set(pieces.map((piece) => ('control' in piece ? piece.control : '')));
  const separator = joining.tokens.find((token) => !written.has(token.text));
  const ranges: number[] = [];
  let text = '';
  let separators = 0;
  let isOpen = false;
  const control = (token: string) => {
    ranges.push(text.length, text.length + token.length);
    text += token;
  };
  for (const piece of pieces) {
    if ('control' in piece) {
      control(piece.control);
      isOpen = false;
    } else if (piece.text !== '') {
      if (isOpen) {
        if (!separator) return undefined;
        control(separator.text);
        separators++;
      }
      text += piece.text;
      isOpen = true;
    }
  }
  return isWithin(text, ranges, joining.search) ? { text, separator: separator?.id, separators } : undefined;
}
