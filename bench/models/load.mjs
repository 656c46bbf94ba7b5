/** In its own process: opens the given file, and prints wall-clock and CPU milliseconds. */
import { Tokenizer } from '../../dist/node/index.js';

const [file] = process.argv.slice(2);
const cpu = process.cpuUsage();
const began = performance.now();
const tokenizer = await Tokenizer.load(file);
tokenizer.encode('Hello');
const ms = performance.now() - began;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ ms, cpu: (user + system) / 1000 }));
