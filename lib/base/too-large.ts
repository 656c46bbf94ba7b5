// Whether work failed because it was too large: out of memory, or more elements than a 32-bit index counts. Each runtime words
// the error differently.

const WORDS = [
  /out of memory/i, // CUDA, HIP, WebGPU, operating systems
  /can_?use_?32_?bit_?index_?math|32-?bit ind(?:ex|ices)|more than INT_MAX elements/i, // PyTorch, 32-bit indexing
  /conv1d[^\n]{0,99}\bindex/i, // PyTorch, convolutions of long sequences
  /failed to allocate|allocaterawinternal|smaller than requested bytes/i, // ONNX Runtime
  /bad_?alloc|alloc_failed|(?:cannot|can't|could not|unable to) allocate|allocation failed/i, // C++, cuBLAS, cuDNN, V8
];
const CODES = new Set(['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED', 'ERR_WORKER_OUT_OF_MEMORY', 'OUT_OF_MEMORY']);
const MOST_CAUSES = 8;

/** Examines a thrown value and its causes. */
export function saysTooLarge(thrown: unknown): boolean {
  let next = thrown;
  for (let depth = 0; depth < MOST_CAUSES && next !== undefined && next !== null; depth++) {
    const { message, code, cause } = (typeof next === 'object' ? next : { message: next }) as Record<string, unknown>;
    const text = String(message);
    if (CODES.has(code as string) || WORDS.some((words) => words.test(text))) return true;
    next = cause;
  }
  return false;
}
