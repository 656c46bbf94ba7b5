// A path as Windows takes it: in UTF-16, and of any length.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"

namespace crayon {

class WidePath {
public:
    // `path` is UTF-8, relative or not. INVALID_ARGUMENT for a NUL inside, FILE_NOT_FOUND for what is not UTF-8.
    Status set(std::string_view path);
    // Ends with a NUL.
    const wchar_t* text() const { return path_.data(); }

private:
    Buffer<wchar_t> path_;
};

}  // namespace crayon
