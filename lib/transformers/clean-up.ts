// Python's clean_up_tokenization: text as English is written.

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
