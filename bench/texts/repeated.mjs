/**
 * One repeated sentence, the input of CRAYON's published figures. Its sentences are not published with them, so these are
 * ours, one for each of its four domains.
 */
const SENTENCES = {
  english: 'The harbour was quiet in the morning, and the fishermen were mending their nets before the next tide. ',
  code: 'for (let index = 0; index < values.length; index += 1) { total += values[index] * weights[index]; }\n',
  unicode: 'Привет, мир! 你好，世界。 こんにちは 😀🎉 żółć Ελλάδα — ',
  mixed: 'The café served 42 crêpes for €9.50 {"tip": true}; // 感謝 to everyone 👍\n',
};

/** Their size in the published table. */
const SIZE = 70_000;

/** @type {{ name: string, title: (size: string) => string, full: number, make: (size: number) => string }[]} */
export const repeated = Object.entries(SENTENCES).map(([name, sentence]) => ({
  name: `repeated-${name}`,
  title: (size) => `a sentence of ${name}, repeated to ${size} bytes`,
  full: SIZE,
  make: (size) => sentence.repeat(Math.round(size / Buffer.byteLength(sentence))),
}));
