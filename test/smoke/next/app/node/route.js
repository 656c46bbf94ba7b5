import { Tokenizer } from 'crayon-tokenizer';

export const dynamic = 'force-dynamic';

export async function GET(request) {
  const text = new URL(request.url).searchParams.get('text');
  using tokenizer = await Tokenizer.load('gpt-4o');
  return Response.json({
    ids: [...tokenizer.encode(text)],
    later: [...(await tokenizer.encodeAsync(text))],
    backend: tokenizer.backend.kind,
  });
}
