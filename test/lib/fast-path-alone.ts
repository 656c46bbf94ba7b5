// Imported first, it keeps the general path away: what the fast path is not proved for is refused (lib/vocabularies/import/tokenizer-json.ts).
process.env.CRAYON_FORCE_PATH = 'fast';
