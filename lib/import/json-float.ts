// Numbers of a JSON file as Hugging Face reads them: with serde_json without `float_roundtrip`, which scales a decimal
// significand by one rounded power of ten after the other. The last bit of a score may differ from the result of JSON.parse for
// the same text, and it decides between segmentations of equal length.

const MOST_SIGNIFICAND = 2n ** 64n - 1n;
const HIGHEST_POWER = 308;
const POWERS = Float64Array.from({ length: HIGHEST_POWER + 1 }, (_, exponent) => Number(`1e${exponent}`));
/** A number whose significand a double has exactly. */
const SHORT = /^-?\d{1,15}$/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Beyond any exponent that makes a difference. */
const MOST_EXPONENT = 2 ** 31 - 1;

/** The number that a JSON number is read as; undefined for one that is refused as out of range. */
export function floatOfJson(text: string): number | undefined {
  if (SHORT.test(text)) return Number(text);
  const [, sign = '', whole = '', fraction, exponent] = NUMBER.exec(text) ?? [];
  const isInteger = fraction === undefined && exponent === undefined;
  const { significand, dropped, taken } = significandOf(whole, fraction ?? '');
  if (isInteger && dropped === 0) return Number(BigInt(text));
  const written = Math.max(-MOST_EXPONENT, Math.min(MOST_EXPONENT, Number(exponent ?? 0)));
  const size = scaled(Number(significand), dropped - taken + written);
  return size === undefined ? undefined : sign === '-' ? -size : size;
}

/**
 * The digits that fit in 64 bits. `dropped`: how many digits before the point were not taken; `taken`: how many after it were.
 */
function significandOf(whole: string, fraction: string): { significand: bigint; dropped: number; taken: number } {
  let significand = 0n;
  let index = 0;
  for (; index < whole.length; index++) {
    const next = significand * 10n + BigInt(whole.charCodeAt(index) - 48);
    if (next > MOST_SIGNIFICAND) break;
    significand = next;
  }
  const dropped = whole.length - index;
  let taken = 0;
  for (; taken < fraction.length; taken++) {
    const next = significand * 10n + BigInt(fraction.charCodeAt(taken) - 48);
    if (next > MOST_SIGNIFICAND) break;
    significand = next;
  }
  return { significand, dropped, taken };
}

function scaled(significand: number, exponent: number): number | undefined {
  let size = significand;
  for (;;) {
    const power = POWERS[Math.abs(exponent)];
    if (power !== undefined) {
      size = exponent >= 0 ? size * power : size / power;
      return size === Infinity ? undefined : size;
    }
    if (size === 0) return 0;
    if (exponent >= 0) return undefined;
    size /= 1e308;
    exponent += HIGHEST_POWER;
  }
}
