// A normalizer program as its steps, as a compiler takes it (cartridges/FORMAT.md).

/** A step of a normalizer program; each is applied to what the one before it makes of a text. */
export type NormalizerStep =
  | { kind: 'nfc' | 'nfd' | 'nfkc' | 'nfkd' | 'nmt' | 'lowercase' | 'strip-accents' | 'byte-level' }
  | { kind: 'strip'; left: boolean; right: boolean }
  | { kind: 'prepend'; text: string }
  | { kind: 'replace'; text: string; by: string }
  | { kind: 'replace-pattern'; pattern: Uint8Array; by: string }
  | { kind: 'bert'; cleanText: boolean; spacesCjk: boolean; stripAccents: boolean; lowercase: boolean }
  | { kind: 'precompiled'; charsmap: Uint8Array }
  | { kind: 'metaspace'; replacement: string; prepend: 'always' | 'first' | 'never'; dropsWhitespace: boolean };
