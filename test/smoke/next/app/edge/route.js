import { Tokenizer, useWasm } from 'crayon-tokenizer';
// By its path, as Turbopack takes `?module` for a part of the name that a package exports.
import core from '../../node_modules/crayon-tokenizer/dist/wasm/core.wasm?module';

export const runtime = 'edge';

// No bytes may be compiled here: the module is imported.
useWasm(core);
const loaded = Tokenizer.load('o200k_base');

export async function GET(request) {
  const text = new URL(request.url).searchParams.get('text');
  const tokenizer = await loaded;
  return Response.json({ ids: [...tokenizer.encode(text)], later: [...(await tokenizer.encodeAsync(text))], backend: tokenizer.backend.kind });
}
