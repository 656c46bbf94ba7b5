// Which messages of a prompt to leave out, oldest first.
//
// A turn is a message of the user with everything up to the next one. Whole turns go first, so that what stays begins with a message of
// the user, as some providers demand:
//
//   system | user assistant | user assistant tool assistant | user assistant tool assistant tool
//            └─── first ──┘   └────────── second ─────────┘   kept  └─ third ─────┘ └─ kept ──┘
//
// Then, behind the last message of the user, rounds of tools go: a message of the assistant with the results of its calls. The last of
// these stays. No cut separates a call from its result, wherever that is.

import { partsOf, type PromptMessage } from './prompt.js';

/** Indices to leave out, then others to leave out besides, and so on. */
export function* trimmings(messages: readonly PromptMessage[]): Generator<readonly number[]> {
  const own = messages.flatMap(({ role }, index) => (role === 'system' ? [] : [index]));
  const roles = own.map((index) => (messages[index] as PromptMessage).role);
  const isOpen = openCalls(own.map((index) => messages[index] as PromptMessage));
  const lastUser = roles.lastIndexOf('user');
  let from = 0;
  for (let at = 1; at <= lastUser; at++) {
    if (roles[at] !== 'user' || isOpen(at)) continue;
    yield own.slice(from, at);
    from = at;
  }
  from = lastUser + 1;
  if (isOpen(from)) return;
  for (let at = from + 1; at < roles.length; at++) {
    if (roles[at] !== 'assistant' || isOpen(at)) continue;
    yield own.slice(from, at);
    from = at;
  }
}

/** Tells whether a call before a position has its result behind it. */
function openCalls(messages: readonly PromptMessage[]): (at: number) => boolean {
  const firsts = new Map<unknown, number>();
  /** By position: one more for each call that is open from there on, one less where it has ended. */
  const changes = new Array<number>(messages.length + 1).fill(0);
  messages.forEach((message, index) => {
    for (const id of partsOf(message).flatMap(({ toolCallId, approvalId }) => [toolCallId, approvalId])) {
      if (id === undefined) continue;
      const first = firsts.get(id);
      if (first === undefined) firsts.set(id, index);
      else if (first < index) {
        changes[first + 1] = (changes[first + 1] as number) + 1;
        changes[index + 1] = (changes[index + 1] as number) - 1;
      }
    }
  });
  let open = 0;
  const opens = changes.map((change) => (open += change));
  return (at) => (opens[at] as number) > 0;
}
