// Tokenizers that a visitor has opened, kept in this browser (IndexedDB) under a key that says what they are: a hash of their bytes, and
// the name of the file. Where pages may keep nothing, they last for the visit.

import type { FileGiven } from './messages.js';

const STORE = 'tokenizers';

const isConfiguration = (name: string) => /^tokenizer_config\.json$|\.jinja$/i.test(name);

export async function keyOf(files: FileGiven[]): Promise<string> {
  const main = files.find(({ name }) => !isConfiguration(name)) ?? files[0];
  const all = await new Blob(files.map(({ bytes }) => bytes)).arrayBuffer();
  const hash = crypto.subtle && new Uint8Array(await crypto.subtle.digest('SHA-256', all));
  const hex = hash ? Array.from(hash.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('') : String(all.byteLength);
  return `import:${hex}:${main?.name}`;
}

export const nameIn = (key: string) => key.replace(/^import:\w+:/, '');
export const isImported = (key: string) => key.startsWith('import:');

export async function remember(key: string, files: FileGiven[]): Promise<void> {
  await inStore('readwrite', (store) => store.put(files, key));
}

export async function forget(key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(key));
}

export async function recall(key: string): Promise<FileGiven[] | undefined> {
  return inStore('readonly', (store) => store.get(key) as IDBRequest<FileGiven[] | undefined>);
}

export async function rememberedKeys(): Promise<string[]> {
  return ((await inStore('readonly', (store) => store.getAllKeys())) ?? []).map(String);
}

async function inStore<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const opening = indexedDB.open('crayon-playground', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    const database = await done(opening);
    try {
      return await done(use(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
