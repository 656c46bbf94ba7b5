// What every function of the engine that can fail returns: a status with its position, and the same for the C interface.
#pragma once

#include <cstdint>

#include "crayon/crayon.h"

namespace crayon {

struct [[nodiscard]] Status {
    crayon_status code = CRAYON_OK;
    std::uint32_t section = 0;   // the cartridge section concerned, 0 if none
    std::uint64_t position = 0;  // in the unit that status.def names

    bool ok() const { return code == CRAYON_OK; }
    static Status out_of_memory() { return {CRAYON_OUT_OF_MEMORY, 0, 0}; }
    static Status invalid_argument(std::uint64_t position = 0) { return {CRAYON_INVALID_ARGUMENT, 0, position}; }
};

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
