// What the modules would ask of their host by way of Emscripten's libraries, answered here: they import nothing.
#include <stddef.h>
#include <stdlib.h>

#include <new>

// That of the library aborts when memory is short. Here it is what it promises to be.
void* operator new(size_t size, const std::nothrow_t&) noexcept { return malloc(size); }

extern "C" {

// Memory has grown. A host looks at the memory's buffer each time it needs it: there is nothing to tell.
void emscripten_notify_memory_growth(size_t) {}

}
