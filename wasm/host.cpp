// What Emscripten's library would ask of its host, answered here, so that the modules import nothing.
#include <stddef.h>

extern "C" {

// Memory has grown. A host looks at the memory's buffer each time it needs it: there is nothing to tell.
void emscripten_notify_memory_growth(size_t) {}

// The end, which nothing of ours asks for: a trap, after which a host calls no more.
[[noreturn]] void _Exit(int) { __builtin_trap(); }
}
