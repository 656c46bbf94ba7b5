// A shared library loaded by path at run time. It stays loaded until the process ends: accelerator drivers do not survive
// being unloaded.
#pragma once

#include <cstddef>

namespace crayon {

class DynamicLibrary {
public:
    // False if it cannot be loaded: `why` gets the system's message, truncated to `capacity` bytes including NUL.
    bool load(const char* path, char* why, std::size_t capacity);
    // The library's export with that name, or nullptr.
    void* symbol(const char* name) const;

private:
    void* handle_ = nullptr;
};

}  // namespace crayon
