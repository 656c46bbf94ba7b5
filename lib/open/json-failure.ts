// Where a text stops being JSON. `JSON.parse` says that in words, which differ from host to host, and not always.

/** Deeper ones are not followed: a hostile text has as many levels as characters. */
const MOST_LEVELS = 1 << 16;

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** How a scalar may begin that the end of the text has cut. */
const CUT_SCALAR = /(?:-?(?:(?:0|[1-9]\d*)(?:\.\d*|(?:\.\d+)?[eE][+-]?\d*)?)?|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/y;

/**
 * The unit at which a text stops being JSON, which is its length if only more text is missing; undefined if it is JSON, or has
 * too many levels to say it.
 */
export function jsonFailure(text: string): number | undefined {
  const levels: ('{' | '[')[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matches = pattern.test(text);
    if (matches) at = pattern.lastIndex;
    return matches;
  };
  /** False: `at` is where the string fails. */
  const skipString = (): boolean => {
    for (at++; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) {
        at++;
        return true;
      }
      if (unit < 0x20) return false;
      if (unit !== 0x5c) at++;
      else if (!skip(ESCAPE)) {
        if (/^\\(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(at, at + 6))) at = text.length;
        return false;
      }
    }
    return false;
  };
  for (let wantsValue = true; ; ) {
    skip(SPACE);
    const level = levels.at(-1);
    if (wantsValue) {
      // Of an object, a key comes first.
      if (level === '{') {
        if (text[at] !== '"' || !skipString()) return at;
        skip(SPACE);
        if (text[at] !== ':') return at;
        at++;
        skip(SPACE);
      }
      const first = text[at];
      if (first === '{' || first === '[') {
        if (levels.push(first) > MOST_LEVELS) return undefined;
        at++;
        skip(SPACE);
        wantsValue = text[at] !== (first === '{' ? '}' : ']');
        continue;
      }
      // `12.` begins with a number, too.
      if (level !== undefined && skip(CUT_SCALAR)) return text.length;
      if (first === '"' ? !skipString() : !skip(SCALAR)) return skip(CUT_SCALAR) ? text.length : at;
      wantsValue = false;
    } else if (level === undefined) {
      return at < text.length ? at : undefined;
    } else if (text[at] === ',') {
      at++;
      wantsValue = true;
    } else if (text[at] === (level === '{' ? '}' : ']')) {
      at++;
      levels.pop();
    } else {
      return at;
    }
  }
}
