// Imported first, it makes every file take the general path (lib/vocabularies/import/tokenizer-json.ts), and keeps the cache of the user out of it.
process.env.CRAYON_FORCE_PATH = 'general';
process.env.CRAYON_CACHE_DIR = '';
