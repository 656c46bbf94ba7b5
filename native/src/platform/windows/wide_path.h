// A path in the form Windows takes: UTF-16, of any length.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"

namespace crayon {

class WidePath {
public:
    // `path` is UTF-8, relative or absolute. INVALID_ARGUMENT for a NUL inside, FILE_NOT_FOUND for ill-formed UTF-8.
    Status set(std::string_view path);
    // Ends with a NUL.
    const wchar_t* text() const { return path_.data(); }

private:
    Buffer<wchar_t> path_;
};

}  // namespace crayon
