/** How lib/chat is cut into scripts: what every chat needs is one of them, one download that compresses as one text. */
import path from 'node:path';
import { root } from './process.mjs';

const folder = path.join(root, 'lib', 'chat') + path.sep;

/**
 * The groups of that script and of what it shares with others, for the option codeSplitting of rolldown. What `import()` loads
 * stays apart.
 * @returns {import('rolldown').CodeSplittingGroup[]}
 */
export function chatChunks() {
  /** @type {Set<string> | undefined} */
  let needed;
  const group = (name, isInside) => ({
    name(id, context) {
      needed ??= neededBy(path.join(folder, 'chat.ts'), (each) => context.getModuleInfo(each));
      return id.startsWith(folder) === isInside && needed.has(id) ? name : null;
    },
  });
  // A group takes in what its modules import, unless a group before it has.
  return [group('shared', false), group('chat', true)];
}

/** A module and all that it imports at once. */
function neededBy(entry, getModuleInfo, needed = new Set()) {
  if (!needed.has(entry)) {
    needed.add(entry);
    for (const id of getModuleInfo(entry)?.importedIds ?? []) neededBy(id, getModuleInfo, needed);
  }
  return needed;
}
