// Text as people can see it: spaces, ends of lines, control characters and characters that have no shape of their own.

const NAMES = new Map<number, string>([
  [0x00a0, 'NBSP'],
  [0x00ad, 'SHY'],
  [0x200b, 'ZWSP'],
  [0x200c, 'ZWNJ'],
  [0x200d, 'ZWJ'],
  [0x200e, 'LRM'],
  [0x200f, 'RLM'],
  [0x2028, 'LSEP'],
  [0x2029, 'PSEP'],
  [0x202a, 'LRE'],
  [0x202b, 'RLE'],
  [0x202c, 'PDF'],
  [0x202d, 'LRO'],
  [0x202e, 'RLO'],
  [0x2060, 'WJ'],
  [0x2066, 'LRI'],
  [0x2067, 'RLI'],
  [0x2068, 'FSI'],
  [0x2069, 'PDI'],
  [0xfeff, 'BOM'],
]);

const SPECIAL = /[\0-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff<>&"]/;
const LONE = /^[\ud800-\udfff]$/;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

const ESCAPES: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

export function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (character) => ESCAPES[character] as string);
}

/** HTML of a text; `breaks`: whether an end of line ends a line here, too. */
export function glyphsOf(text: string, breaks: boolean): string {
  if (!SPECIAL.test(text)) return text;
  let html = '';
  let spaces = 0;
  // Joiners and marks belong to what they join: alone they would show nothing.
  const joins = VISIBLE.test(text);
  const end = () => {
    if (spaces > 0) html += `<i class="w">${'·'.repeat(spaces)}</i>`;
    spaces = 0;
  };
  for (const character of text) {
    if (character === ' ') {
      spaces++;
      continue;
    }
    end();
    html += glyphOf(character, breaks, joins);
  }
  end();
  return html;
}

function glyphOf(character: string, breaks: boolean, joins: boolean): string {
  const code = character.codePointAt(0) as number;
  if (character === '\n') return `<i class="w">↵</i>${breaks ? '\n' : ''}`;
  if (character === '\r') return '<i class="w">␍</i>';
  if (character === '\t') return `<i class="w">→</i>${breaks ? '\t' : ''}`;
  if (code < 32) return `<i class="w">${String.fromCharCode(0x2400 + code)}</i>`;
  if (code === 127) return '<i class="w">␡</i>';
  if (joins && (code === 0x200c || code === 0x200d)) return character;
  const name = nameOf(character);
  return name === undefined ? (ESCAPES[character] ?? character) : `<b class="cp">${name}</b>`;
}

/** What stands for a character that has no shape of its own. */
function nameOf(character: string): string | undefined {
  const code = character.codePointAt(0) as number;
  const isNumbered = LONE.test(character) || (code >= 0x80 && code < 0xa0);
  return NAMES.get(code) ?? (isNumbered ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}` : undefined);
}

/** The same in words, for screen readers. */
export function spoken(text: string): string {
  if (/^ +$/.test(text)) return text.length === 1 ? 'space' : `${text.length} spaces`;
  let named = text.replace(/\n/g, ' newline ').replace(/\t/g, ' tab ').replace(/\r/g, ' carriage return ');
  if (SPECIAL.test(text)) named = Array.from(named, (character) => nameOf(character) ?? character).join('');
  return named.startsWith(' ') ? `space ${named.trim()}` : named.trim();
}
