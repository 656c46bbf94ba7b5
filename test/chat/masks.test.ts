// The assistant's text, compared with transformers' return_assistant_tokens_mask (goldens/masks.json): ids, with 1 or 0
// for each.

import { afterAll, beforeAll, expect, it } from 'vitest';

import { Tokenizer } from 'crayon-tokenizer';

import { hashOf, readGolden } from './goldens.mjs';
import { markedChats, vocabulary } from './masks.mjs';

const KINDS = ['bytes', 'words'] as const;
const tokenizers = {} as Record<(typeof KINDS)[number], Tokenizer>;
beforeAll(async () => {
  for (const kind of KINDS) tokenizers[kind] = await Tokenizer.load(Buffer.from(JSON.stringify(vocabulary(kind))));
});
afterAll(() => KINDS.forEach((kind) => tokenizers[kind].close()));

interface Chat {
  messages: object[];
  tools?: object[];
  documents?: object[];
  addGenerationPrompt?: boolean;
  variables?: object;
}

it("masks equal transformers'", async () => {
  const results = readGolden('masks').results as unknown as ([ids: number[], mask: string] | string | null)[];
  const chats = markedChats();
  expect(results).toHaveLength(chats.length);
  let compared = 0;
  for (const [index, [source, text, kind]] of chats.entries()) {
    // The goldens of texts cover numbers that JavaScript cannot represent.
    if (/NaN|Infinity|\d\.0\b|\de\d|\d{17}|1e400|1E/.test(text)) continue;
    const { messages, tools, documents, addGenerationPrompt, variables } = JSON.parse(text) as Chat;
    const options = {
      template: source,
      tools,
      documents,
      addGenerationPrompt,
      variables: { bos_token: '<s>', eos_token: '</s>', ...variables },
      assistantMask: true,
    } as const;
    if (results[index] === null) {
      await expect(tokenizers[kind].encodeChat(messages as never, options as never), `chat ${index}`).rejects.toThrow();
      continue;
    }
    const ours = (await tokenizers[kind].encodeChat(messages as never, options as never)) as unknown as {
      ids: Uint32Array;
      assistantMask: Uint8Array;
    };
    const [ids, mask] = [Array.from(ours.ids), Array.from(ours.assistantMask).join('')];
    const expected = results[index]!;
    expect(typeof expected === 'string' ? hashOf(`${ids.join(' ')}|${mask}`) : [ids, mask], `chat ${index}: ${text}`).toEqual(expected);
    compared++;
  }
  expect(compared).toBeGreaterThan(600);
});
