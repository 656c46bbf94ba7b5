// The texts that come from a template itself.

import type { Statement } from './nodes.js';
import { Str } from './values/str.js';

/** The text between tags, and string literals. */
export function constantTexts(statements: readonly Statement[]): string[] {
  const texts = new Set<string>();
  const seen = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) seen(each);
    else if (typeof value === 'object' && value !== null && !(value instanceof Str)) {
      const node = value as { kind?: string; text?: unknown; value?: unknown };
      if (node.kind === 'data') texts.add(node.text as string);
      else if (node.kind === 'constant') {
        if (node.value instanceof Str) texts.add(node.value.text);
      } else {
        for (const child of Object.values(node)) seen(child);
      }
    }
  };
  seen(statements);
  return [...texts];
}
