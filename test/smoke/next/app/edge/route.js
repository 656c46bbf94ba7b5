import { Tokenizer, useWasm } from 'crayon-tokenizer';
// By path, since Turbopack takes `?module` as part of the exported name.
import core from '../../node_modules/crayon-tokenizer/dist/wasm/core.wasm?module';

export const runtime = 'edge';

// Compiling bytes is forbidden here: the module is imported.
useWasm(core);
const loaded = Tokenizer.load('o200k_base');

export async function GET(request) {
  const text = new URL(request.url).searchParams.get('text');
  const tokenizer = await loaded;
  return Response.json({
    ids: [...tokenizer.encode(text)],
    later: [...(await tokenizer.encodeAsync(text))],
    backend: tokenizer.backend.kind,
  });
}
