// Prepended to Emscripten's glue. Gives a test program in Node its usual environment variables and program name, and
// removes `fetch`, which cannot load files.
Module.preRun = () => Object.assign(ENV, process.env);
Module.thisProgram = process.argv[1].replace(/\.js$/, '');
globalThis.fetch = undefined;
