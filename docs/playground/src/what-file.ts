// What a file is that a visitor opens: a tokenizer, a text, or something that the page names and does not open.

export type FileKind = { kind: 'tokenizer' } | { kind: 'text' } | { kind: 'json'; what: string } | { kind: 'other'; what: string };

/** Files that are a tokenizer, or come with one, by their names. */
const TOKENIZER =
  /(?:^|[-_.])(?:tokenizer|tekken|spiece|tokenizer_config)[^/]*\.(?:json|model)$|\.(?:model|tiktoken|cray|jinja)$|^vocab\.txt$/i;

/** How files begin, in Latin-1. */
const BEGINNINGS: readonly [RegExp, string][] = [
  [/^\x89PNG/, 'a PNG image'],
  [/^\xff\xd8\xff/, 'a JPEG image'],
  [/^GIF8/, 'a GIF image'],
  [/^RIFF....WEBP/s, 'a WebP image'],
  [/^%PDF/, 'a PDF document'],
  [/^PK\x03\x04/, 'a ZIP archive (or a document of an office program)'],
  [/^\x1f\x8b/, 'a gzip archive'],
  [/^\x28\xb5\x2f\xfd/, 'a zstd archive'],
  [/^(?:ID3|OggS|fLaC|RIFF....WAVE)/s, 'a sound'],
  [/^....ftyp/s, 'a video'],
  [/^.{8}\{"(?:__metadata__|[\w.]+":\{"dtype)/s, 'weights of a model (safetensors)'],
  [/^GGUF/, 'weights of a model (GGUF)'],
];

export const OPENS =
  'Texts open here, and tokenizers: tokenizer.json (with its tokenizer_config.json), tekken.json, a SentencePiece .model, .tiktoken, vocab.txt, .cray.';

export async function kindOf(file: File): Promise<FileKind> {
  if (file.size === 0) return { kind: 'other', what: 'an empty file' };
  const head = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
  const begins = String.fromCharCode(...head);
  const known = BEGINNINGS.find(([pattern]) => pattern.test(begins));
  if (known) return { kind: 'other', what: known[1] };
  if (TOKENIZER.test(file.name) || begins.startsWith('CRAY')) return { kind: 'tokenizer' };
  if (utf16Of(head)) return { kind: 'text' };
  if (head.includes(0)) return { kind: 'other', what: 'a binary file' };
  if (!/\.json$/i.test(file.name)) return { kind: 'text' };
  // Of another name, but as Hugging Face writes them.
  if (/"(?:added_tokens|truncation|pre_tokenizer)"/.test(begins)) return { kind: 'tokenizer' };
  return { kind: 'json', what: await jsonInWords(file) };
}

async function jsonInWords(file: File): Promise<string> {
  try {
    const value: unknown = JSON.parse(await file.text());
    if (Array.isArray(value)) return 'JSON, a list';
    if (typeof value !== 'object' || value === null) return `JSON, a ${typeof value}`;
    const names = Object.keys(value);
    return `JSON with ${names.slice(0, 4).join(', ') || 'nothing in it'}${names.length > 4 ? ' …' : ''}`;
  } catch {
    return 'a damaged JSON file';
  }
}

export async function textOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return new TextDecoder(utf16Of(bytes) ?? 'utf-8', { ignoreBOM: utf16Of(bytes) === undefined }).decode(bytes);
}

const utf16Of = ([first, second]: Uint8Array) =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
