// The state of the page in the fragment of its address, which browsers send to nobody: JSON, deflated, in base64url.

export interface Shared {
  text?: string;
  /** Of a tokenizer that the visitor has opened: the key of its files, which a link does not hold. */
  model?: string;
  tab?: string;
  special?: boolean;
  compared?: string[];
  prices?: Record<string, number>;
  split?: { maxTokens: number; overlap: number; separators: string };
  chat?: { role: string; content: string }[];
  dna?: { model: string; sequence: string; complement?: boolean };
}

/** Characters of a fragment that mail programs and chats still pass on whole. */
export const LONG = 8000;

/** Bytes of a state: pages make links of texts of up to a million characters. */
const MOST = 8_000_000;

export async function fragmentOf(state: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream('deflate-raw'));
  let binary = '';
  for (let at = 0; at < packed.length; at += 8192) binary += String.fromCharCode(...packed.subarray(at, at + 8192));
  return `#s=${btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}`;
}

/** Undefined if the fragment is no state, or a damaged one. */
export async function stateOf(fragment: string): Promise<Shared | undefined> {
  const packed = /^#s=([\w-]+)$/.exec(fragment)?.[1];
  if (packed === undefined) return undefined;
  try {
    const binary = atob(packed.replace(/-/g, '+').replace(/_/g, '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const json = new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
    const state: unknown = JSON.parse(json);
    return typeof state === 'object' && state !== null ? state : undefined;
  } catch {
    return undefined;
  }
}

async function through(bytes: Uint8Array<ArrayBuffer>, transform: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array<ArrayBuffer>>(transform).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    length += next.value.length;
    // A link of some kilobytes could be made to inflate to anything.
    if (length > MOST) {
      await reader.cancel();
      throw new RangeError(`expected at most ${MOST} bytes`);
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
