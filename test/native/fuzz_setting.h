// What a run of the tests takes from its environment: the seeds and amounts of fuzzing, CRAYON_FUZZ_….
#pragma once

#include <cstdint>
#include <cstdlib>

namespace crayon::test {

// The number in the variable `name`, or `otherwise` if it is not set.
inline std::uint64_t fuzz_setting(const char* name, std::uint64_t otherwise) {
    const char* const value = std::getenv(name);
    return value && *value ? std::strtoull(value, nullptr, 0) : otherwise;
}

}  // namespace crayon::test
