// A status with its position: returned by every engine function that can fail.
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

}  // namespace crayon
