// Converts a Status to a crayon.h result.
#pragma once

#include "base/status.h"

namespace crayon {

inline constexpr Status kInvalidArgument{CRAYON_INVALID_ARGUMENT, 0, 0};

// Fills in `result`, which may be null, and returns the status.
inline crayon_status report(const Status& status, crayon_result* result, std::uint32_t count = 0, bool more = false) {
    if (result) {
        *result = {status.code,
                   status.section,
                   static_cast<std::uint32_t>(status.position),
                   static_cast<std::uint32_t>(status.position >> 32),
                   count,
                   more};
    }
    return status.code;
}

}  // namespace crayon
