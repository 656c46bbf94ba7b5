#include "platform/dynamic_library.h"

#include <dlfcn.h>

#include <cstdio>

namespace crayon {

bool DynamicLibrary::load(const char* path, char* why, std::size_t capacity) {
    handle_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle_) return true;
    const char* const words = dlerror();
    std::snprintf(why, capacity, "%s", words ? words : "the system does not say why");
    return false;
}

void* DynamicLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace crayon
