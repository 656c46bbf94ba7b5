// What pages download for their first chat.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { chatChunks } from '../../scripts/chunks.mjs';

const MOST = 40 * 1024;

it(`the first chat takes at most ${MOST} bytes under gzip, its tables of characters included`, { timeout: 60_000 }, async () => {
  const input = fileURLToPath(new URL('../../lib/chat/chat.ts', import.meta.url));
  // Chats share other code with the rest, which is loaded already.
  const build = await rolldown({ input, platform: 'browser', external: (id) => id.includes('/tokenizer/'), logLevel: 'silent' });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: { groups: chatChunks() } });
  await build.close();
  const chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each] as const] : [])));
  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    chunks.get(name)?.imports.forEach(need);
  };
  need(output[0].fileName);
  // They load when a text beyond ASCII is first tested, which most chats never do.
  const tables = [...chunks.keys()].filter((name) => name.startsWith('tables'));
  expect(tables).toHaveLength(1);
  expect([...needed]).not.toContain(tables[0]);
  const sizes = [...needed, ...tables].flatMap((name) => chunks.get(name)?.code ?? []).map((code) => gzipSync(code, { level: 9 }).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThan(MOST);
  expect(total).toBeGreaterThan(MOST / 2);
  // Nor does it include the rarely used parts.
  expect([...chunks.keys()].filter((name) => !needed.has(name)).length).toBeGreaterThan(4);
});
