// A shared library that is loaded by its path at run time. It stays loaded until the process ends: drivers of accelerators do
// not survive being unloaded.
#pragma once

#include <cstddef>

namespace crayon {

class DynamicLibrary {
public:
    // False if it cannot be loaded: `why` gets the system's words, cut to `capacity` bytes with their NUL.
    bool load(const char* path, char* why, std::size_t capacity);
    // What the library exports by that name, or nullptr.
    void* symbol(const char* name) const;

private:
    void* handle_ = nullptr;
};

}  // namespace crayon
