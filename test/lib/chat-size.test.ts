// What pages download for their first chat.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { chatChunks } from '../../scripts/chunks.mjs';

const MOST = 48 * 1024;

it(`the first chat takes one script, of at most ${MOST} bytes under gzip`, { timeout: 60_000 }, async () => {
  const input = fileURLToPath(new URL('../../lib/chat/chat.ts', import.meta.url));
  // Chats share other code with the rest, which is loaded already.
  const build = await rolldown({ input, platform: 'browser', external: (id) => /\/(?:api|engine|base)\//.test(id), logLevel: 'silent' });
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
  const sizes = [...needed].flatMap((name) => chunks.get(name)?.code ?? []).map((code) => gzipSync(code, { level: 9 }).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`${total} bytes in ${sizes.length} scripts of ${chunks.size}`);
  expect(total).toBeLessThan(MOST);
  expect(total).toBeGreaterThan(MOST / 2);
  // Conversations alone load later.
  expect(chunks.size - needed.size).toBeLessThanOrEqual(2);
});
