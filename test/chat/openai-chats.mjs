/**
 * Seeded chats in OpenAI's shape, as agents send them to gpt-oss: questions, calls with their results, answers. In what the published
 * template takes of it: one call a message, and text or reasoning beside it.
 */
import { Random } from '../fuzz/random.mjs';

/** @typedef {{ role: string, content: string | null, reasoning_content?: string, tool_calls?: { id: string, type: string, function: { name: string, arguments: string } }[], tool_call_id?: string }} OpenAiMessage */

const TEXTS = ['hi', 'What is 2 + 2?', 'Zürich 東京 🙂', 'line\nline', ' spaces ', "it's"];
const VALUES = ['{}', '{"place": "Paris"}', '{"a": 1, "b": [true, null, "ü"]}', '{"deep": {"er": {"x": -7}}}'];

/** @param {Random} random @returns {OpenAiMessage[]} */
function chat(random) {
  /** @type {OpenAiMessage[]} */
  const messages = [];
  for (let turn = 0, turns = random.length(3); turn < turns; turn++) {
    messages.push({ role: 'user', content: random.pick(TEXTS) });
    for (let calls = random.integer(0, 3); calls > 0; calls--) {
      const id = `call_${messages.length}`;
      const said = random.integer(0, 2);
      messages.push({
        role: 'assistant',
        content: said === 1 ? random.pick(TEXTS) : null,
        ...(said === 2 && { reasoning_content: random.pick(TEXTS) }),
        tool_calls: [{ id, type: 'function', function: { name: random.pick(['f', 'get_weather']), arguments: random.pick(VALUES) } }],
      });
      if (calls === 1 && random.chance(0.1)) break;
      messages.push({ role: 'tool', tool_call_id: id, content: random.pick(VALUES) });
    }
    if (random.chance(0.8)) messages.push({ role: 'assistant', content: random.pick(TEXTS) });
  }
  return messages;
}

export const OPENAI_CHATS = Array.from({ length: 100 }, (_, index) => chat(new Random(64, index)));

/**
 * The chat as the template wants it: arguments and results as data, which it writes as JSON. A text would become a JSON string in it.
 * @param {readonly OpenAiMessage[]} messages
 */
export function templateChat(messages) {
  return messages.map(({ tool_calls, content, ...message }) => ({
    ...message,
    content: message.role === 'tool' ? JSON.parse(/** @type {string} */ (content)) : content,
    ...(tool_calls && {
      tool_calls: tool_calls.map((call) => ({ ...call, function: { ...call.function, arguments: JSON.parse(call.function.arguments) } })),
    }),
  }));
}
