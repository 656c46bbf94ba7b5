/** One process of run.mjs: prints how long the first `encodeChat` of a loaded tokenizer takes, and the second. */
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';

const [entry, template, cartridge] = process.argv.slice(2);
const { Tokenizer } = await import(pathToFileURL(entry).href);
const tokenizer = await Tokenizer.load(cartridge);
const options = { template: fs.readFileSync(template, 'utf8'), addGenerationPrompt: true };
const chat = [
  { role: 'user', content: 'How far is the Moon?' },
  { role: 'assistant', content: 'About 384,400 km.' },
  { role: 'user', content: 'And the Sun?' },
];

async function timed() {
  const before = process.cpuUsage();
  const start = performance.now();
  const ids = await tokenizer.encodeChat(chat, options);
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1000, ids: ids.length };
}

console.log(JSON.stringify({ first: await timed(), second: await timed() }));
