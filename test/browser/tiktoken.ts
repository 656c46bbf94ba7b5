/// <reference types="vite/client" />
// npm tiktoken in a browser, loaded as its documentation describes for hosts that cannot import a .wasm file as a module.

import { init } from 'tiktoken/init';
import wasm from 'tiktoken/tiktoken_bg.wasm?url';

await init((imports) => WebAssembly.instantiateStreaming(fetch(wasm), imports));

export * from 'tiktoken/init';
