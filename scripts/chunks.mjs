/** How lib/ is cut into scripts: what is needed together is one of them. */
import path from 'node:path';
import { root } from './process.mjs';

const lib = path.join(root, 'lib');
const chat = path.join(lib, 'chat') + path.sep;

/**
 * The group of what a program needs that imports the package in Node, for the option codeSplitting of rolldown: Node takes half a
 * millisecond to find and read a file, and 25 µs for each kilobyte of one, whether it is needed or not (November 2026).
 * @returns {import('rolldown').CodeSplittingGroup}
 */
export function coreChunk() {
  const needed = whatIsNeededBy(path.join(lib, 'index.ts'));
  return { name: (id, context) => (needed(context).has(id) ? 'core' : null) };
}

/**
 * The group of what the command needs to know its arguments, of which the core is not a part: everything else is loaded on demand.
 * The entry itself stays apart, since what it loads waits for what it imports.
 * @returns {import('rolldown').CodeSplittingGroup}
 */
export function commandChunk() {
  const main = path.join(lib, 'cli', 'main.ts');
  const needed = whatIsNeededBy(main);
  return { name: (id, context) => (id !== main && needed(context).has(id) ? 'command' : null) };
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
