// transformers' continue_final_message: renders the last message with a mark after its text, and cuts the prompt there.

import { ChatError, type Rendered, type Template } from './jinja/template.js';
import { spaceEnd, spaceStart } from './jinja/unicode/characters.js';
import { List } from './jinja/values/containers.js';
import { Dict } from './jinja/values/dict.js';
import { derived, literal, ofTemplate, Str } from './jinja/values/str.js';
import { REASONING } from './reasoning.js';

/** Templates look for this mark. Its space shows whether the template trims. */
const MARK = 'CONTINUE_FINAL_MESSAGE_TAG';

/** Puts the mark after the text to continue in the last message, which is replaced, and returns the text. */
export function continued(messages: Dict[], field: string, template: Template): string {
  const last = messages.at(-1) as Dict;
  const value = last.getText(field) ?? null;
  if (value === null) throw new ChatError(`the last message has no ${JSON.stringify(field)} to continue`);
  const fields = REASONING.includes(field) ? REASONING.filter((each) => last.getText(each) === value) : [field];
  if (!fields.some((each) => template.mentions(each)))
    throw new ChatError(`the chat template does not read ${JSON.stringify(field)}, so that it cannot be continued`);
  const copy = last.copy();
  messages[messages.length - 1] = copy;
  if (value instanceof List) {
    const at = value.items.findLastIndex((block) => block instanceof Dict && block.getText('text') !== undefined);
    const text = (value.items[at] as Dict | undefined)?.getText('text');
    if (!(text instanceof Str)) throw new ChatError('the last message has no text to continue');
    const block = (value.items[at] as Dict).copy();
    block.set(literal('text'), marked(text));
    copy.set(ofTemplate(field), new List(value.items.with(at, block)));
    return text.text;
  }
  if (!(value instanceof Str)) throw new ChatError(`the ${field} of the last message is not a text to continue`);
  for (const each of fields) copy.set(ofTemplate(each), marked(value));
  return value.text;
}

function marked(str: Str): Str {
  return derived(`${str.text}${MARK} `, str);
}

/** Removes the mark and everything after it, and the part of the text that the template would have trimmed. */
export function cut(rendered: Rendered, text: string): Rendered {
  const at = rendered.text.lastIndexOf(MARK);
  if (at < 0 || !rendered.text.includes(text.slice(spaceEnd(text), spaceStart(text)))) {
    throw new ChatError('the chat template does not write all of the text of the last message, so that it cannot be continued');
  }
  return upTo(rendered, rendered.text.startsWith(`${MARK} `, at) ? at : spaceStart(rendered.text, at));
}

function upTo({ text, ranges, ends, origins, generation }: Rendered, end: number): Rendered {
  const runs = ends.findIndex((each) => each >= end) + 1;
  const count = end === 0 ? 0 : runs;
  const kept = ends.slice(0, count);
  if (count > 0) kept[count - 1] = end;
  const clip = (pairs: Uint32Array) => {
    const inside: number[] = [];
    for (let i = 0; i < pairs.length && (pairs[i] as number) < end; i += 2)
      inside.push(pairs[i] as number, Math.min(pairs[i + 1] as number, end));
    return Uint32Array.from(inside);
  };
  return { text: text.slice(0, end), ranges: clip(ranges), ends: kept, origins: origins.slice(0, count), generation: clip(generation) };
}
