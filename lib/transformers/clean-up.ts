// Python's clean_up_tokenization: text as English is written. Its list is not the one of `tokenizers` (lib/decode/token-maps.ts), which
// turns ' do not' into " don't", too.

const REPLACED: readonly (readonly [string, string])[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

export function cleanedUp(text: string): string {
  return REPLACED.reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text);
}
