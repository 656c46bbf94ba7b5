// What the apps of transformers ask.

export const CALL = [['hello world', "it's the text of a file"], { padding: true, return_offsets_mapping: true }];
export const CHAT = [{ role: 'user', content: 'hello world' }];
