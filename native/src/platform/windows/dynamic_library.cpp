#include "platform/dynamic_library.h"

#include <cstdio>

#include "platform/windows/wide_path.h"
#include "platform/windows/win32.h"

namespace crayon {

bool DynamicLibrary::load(const char* path, char* why, std::size_t capacity) {
    WidePath wide;
    if (wide.set(path).ok()) handle_ = ::LoadLibraryExW(wide.text(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (handle_) return true;
    const DWORD error = ::GetLastError();
    constexpr DWORD kFlags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    const DWORD length = ::FormatMessageA(kFlags, nullptr, error, 0, why, static_cast<DWORD>(capacity), nullptr);
    if (length == 0) std::snprintf(why, capacity, "error %lu of the system", error);
    return false;
}

void* DynamicLibrary::symbol(const char* name) const {
    return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace crayon
