// A chat whose last message the model is to continue: what the template writes behind its text is cut off.
//
// As Hugging Face does it (continue_final_message of Transformers 5): the text gets a mark at its end before it is rendered,
// and the result ends before the mark. The mark is theirs, since templates look for it. It ends with a space: if that is not
// there any more, the template trims, and what would have been trimmed of the text is cut off, too.

import { TokenizerError, unexpected } from '../tokenizer/errors.js';
import type { Plain } from '../tokenizer/chat.js';

const MARK = 'CONTINUE_FINAL_MESSAGE_TAG';
const MARK_AND_SPACE = `${MARK} `;

type Message = { [key: string]: Plain };

/** A chat with the mark, and how to cut what it is rendered to. */
export interface Continued {
  messages: Plain[];
  cut(rendered: string): string;
}

export function continued(messages: readonly Plain[]): Continued {
  const last = messages.at(-1) as Message | undefined;
  const content = last?.content;
  const blocks = Array.isArray(content) ? content : undefined;
  const block = blocks?.findLastIndex((each) => typeof each === 'object' && each !== null && 'text' in each) ?? -1;
  const text = blocks ? (blocks[block] as Message | undefined)?.text : content;
  if (last === undefined || typeof text !== 'string') {
    throw unexpected('a last message with a text to continue', 'messages', last === undefined ? messages : content);
  }
  const marked = text + MARK_AND_SPACE;
  const whole = blocks ? blocks.map((each, at) => (at === block ? { ...(each as Message), text: marked } : each)) : marked;
  return {
    messages: [...messages.slice(0, -1), { ...last, content: whole }],
    cut(rendered) {
      const at = rendered.lastIndexOf(MARK);
      if (at < 0 || !rendered.includes(stripped(text))) {
        const message = 'the chat template does not write all of the text of the last message, so that it cannot be continued';
        throw new TokenizerError(message, { code: 'TEMPLATE_REFUSED' });
      }
      const kept = rendered.slice(0, at);
      return rendered.startsWith(MARK_AND_SPACE, at) ? kept : kept.slice(0, endOf(kept));
    },
  };
}

/** Without the white space around it, that of Python. */
function stripped(text: string): string {
  const end = endOf(text);
  let begin = 0;
  while (begin < end && isSpace(text.charCodeAt(begin))) begin++;
  return text.slice(begin, end);
}

/** Where the white space at the end begins. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

/** As Python has it: JavaScript counts the byte order mark, but neither U+0085 nor the separators of ASCII. */
function isSpace(code: number): boolean {
  return /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(String.fromCharCode(code));
}
