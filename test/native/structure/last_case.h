// The running case of the structural fuzzer, printed when a sanitizer, a signal or a timer ends the process.
#pragma once

#include <cstdint>
#include <string>

namespace crayon::test {

// One at a time.
class LastCase {
public:
    LastCase(const std::string& original, std::uint64_t seed);
    ~LastCase();
    LastCase(const LastCase&) = delete;

    void is(std::uint64_t number);
    // How to reproduce it.
    static const char* again();
};

}  // namespace crayon::test
