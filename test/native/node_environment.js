// Emscripten's glue has this before it. A test program in Node has the variables that Node has, goes by the name that a
// program has elsewhere, and is read as a file: what `fetch` takes is addresses.
Module.preRun = () => Object.assign(ENV, process.env);
Module.thisProgram = process.argv[1].replace(/\.js$/, '');
globalThis.fetch = undefined;
