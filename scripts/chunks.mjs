/**
 * How lib/ is cut into scripts. What is needed together is one of them: Node takes 0.6 ms to find and read a script, and 25 µs for
 * each kilobyte of it, whether that is needed or not (November 2026).
 */
import path from 'node:path';
import { root } from './process.mjs';

const lib = path.join(root, 'lib');
const chat = path.join(lib, 'chat') + path.sep;

/**
 * The groups of programs in Node, for the option codeSplitting of rolldown. The core is what `import 'crayon-tokenizer'` needs; the
 * command needs none of it to know its arguments. The entries themselves stay apart, since what they load waits for what they import.
 * @returns {import('rolldown').CodeSplittingGroup[]}
 */
export function nodeChunks() {
  const command = path.join(lib, 'cli') + path.sep;
  // Commander and the like are in its own scripts, and nothing that others share: they would load it.
  const isOfCommand = (id) => id.startsWith(command) || id.includes('node_modules');
  return [
    neededTogether('core', ['index.ts', ...SHARED], (id) => !id.includes('node_modules'), /usingCtx/),
    neededTogether('dna', ['dna.ts'], (id) => !id.includes('node_modules')),
    neededTogether('dataset', ['datasets/index.ts'], (id) => !id.includes('node_modules')),
    neededTogether('command', ['cli/main.ts'], (id) => isOfCommand(id) && !id.endsWith('main.ts')),
    neededTogether('command-texts', ['cli/count.ts'], (id) => isOfCommand(id) && !id.endsWith('count.ts')),
  ];
}

/** Small modules that datasets, DNA and the command share, each of which would be a script. */
const SHARED = ['hosts/addon/json-texts.ts', 'datasets/readers/text-of.ts', 'io/file-patterns.ts', 'io/gzip-in-node.ts'];

/**
 * The group of modules and all that they import at once, but for what `isPart` says no to, and what groups before it have. `besides`:
 * helpers that the compiler adds.
 */
function neededTogether(name, sources, isPart, besides) {
  const needed = sources.map((source) => whatIsNeededBy(path.join(lib, source)));
  const has = (id, context) => besides?.test(id) || (isPart(id) && needed.some((each) => each(context).has(id)));
  return { name: (id, context) => (has(id, context) ? name : null) };
}

/**
 * The groups of the script that every chat needs, one download that compresses as one text, and of what it shares with others. What
 * `import()` loads stays apart.
 * @returns {import('rolldown').CodeSplittingGroup[]}
 */
export function chatChunks() {
  const needed = whatIsNeededBy(path.join(chat, 'chat.ts'));
  const group = (name, isInside) => ({
    name: (id, context) => (id.startsWith(chat) === isInside && needed(context).has(id) ? name : null),
  });
  // A group takes in what its modules import, unless a group before it has.
  return [group('shared', false), group('chat', true)];
}

/** Tells a module and all that it imports at once, when the graph of modules is known. */
function whatIsNeededBy(entry) {
  /** @type {Set<string> | undefined} */
  let needed;
  return (context) => {
    needed ??= neededBy(entry, (id) => context.getModuleInfo(id));
    return needed;
  };
}

function neededBy(entry, getModuleInfo, needed = new Set()) {
  if (!needed.has(entry)) {
    needed.add(entry);
    for (const id of getModuleInfo(entry)?.importedIds ?? []) neededBy(id, getModuleInfo, needed);
  }
  return needed;
}
