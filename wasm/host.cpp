// Replaces the functions of Emscripten's libraries that would import from the host: the modules have no imports.
#include <stddef.h>
#include <stdlib.h>

#include <new>

// The library's version aborts when memory is short. This one returns nullptr, as specified.
void* operator new(size_t size, const std::nothrow_t&) noexcept { return malloc(size); }

extern "C" {

// Called when memory has grown. Hosts get the memory's buffer whenever they need it, so there is nothing to do.
void emscripten_notify_memory_growth(size_t) {}

// Stands in for pure virtual functions and is never called. The library's version writes to the standard error.
void __cxa_pure_virtual() { __builtin_trap(); }
}
