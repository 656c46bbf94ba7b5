// How the drop-ins load a model's own files in pages: by their URLs.

import { TokenizerError } from '../../base/errors.js';
import type { ChatAtOnce } from '../../api/chat-options.js';

export { Tokenizer } from '../../browser.js';

declare const document: { baseURI: string } | undefined;
declare const location: { href: string } | undefined;

/** A model's files: the URL of a folder, or of its tokenizer.json. */
export async function modelAt(source: string | URL, beside: readonly string[]) {
  const base = typeof document === 'object' ? document.baseURI : typeof location === 'object' ? location.href : undefined;
  const url = new URL(source, base);
  if (!url.pathname.endsWith('.json')) url.pathname = `${url.pathname.replace(/\/$/, '')}/tokenizer.json`;
  const [vocabulary, ...texts] = await Promise.all([bytesAt(url), ...beside.map((name) => textIfThere(new URL(name, url)))]);
  const text = new TextDecoder().decode(vocabulary);
  return {
    vocabulary,
    text,
    vocabularyText: () => text,
    files: Object.fromEntries(beside.map((name, index) => [name, texts[index]])),
    config: undefined,
  };
}

/** Renders chats without waiting; undefined for a model without a template, for which pages need not download it. */
export async function chatAtOnce(hasTemplate: boolean): Promise<ChatAtOnce | undefined> {
  if (!hasTemplate) return undefined;
  const { assistantMaskOf, prepared } = await import('../../chat/chat.js');
  return { assistantMaskOf, prepared };
}

export function readText(path: string): string {
  throw new Error(`cannot read ${path}: pages have no files; fetch its text and pass it to Tokenizer.fromString()`);
}

export function writeText(path: string, _text: string): void {
  throw new Error(`cannot write ${path}: pages have no files; take the text of Tokenizer.toString()`);
}

async function bytesAt(url: URL): Promise<Uint8Array> {
  const response = await fetch(url);
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  const code = response.status === 404 ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE';
  throw new TokenizerError(`cannot load a tokenizer.json from ${url.href}: ${response.status} ${response.statusText}`.trimEnd(), { code });
}

async function textIfThere(url: URL): Promise<string | undefined> {
  const response = await fetch(url);
  return response.ok ? response.text() : undefined;
}
