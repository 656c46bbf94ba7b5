// While an instance lives, the process gets hardly any more pages of memory, to test how code behaves without.
#pragma once

#include <cstddef>

#if defined(__linux__) && !defined(CRAYON_SANITIZED)
#include <sys/resource.h>

#include <cstdio>
#endif

namespace crayon::test {

#if defined(__linux__) && !defined(CRAYON_SANITIZED)

class MemoryLimit {
public:
    // This many bytes beyond the memory mapped now.
    explicit MemoryLimit(std::size_t bytes) {
        unsigned long pages = 0;
        std::FILE* const file = std::fopen("/proc/self/statm", "r");
        const bool read = file && std::fscanf(file, "%lu", &pages) == 1;
        if (file) std::fclose(file);
        if (!read || getrlimit(RLIMIT_AS, &before_) != 0) return;
        rlimit limit = before_;
        limit.rlim_cur = pages * std::size_t{4096} + bytes;
        works_ = setrlimit(RLIMIT_AS, &limit) == 0;
    }
    ~MemoryLimit() {
        if (works_) setrlimit(RLIMIT_AS, &before_);
    }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

    // Sanitizers reserve their memory themselves, and other systems have no such limit.
    bool works() const { return works_; }

private:
    rlimit before_{};
    bool works_ = false;
};

#else

class MemoryLimit {
public:
    explicit MemoryLimit(std::size_t) {}
    bool works() const { return false; }
};

#endif

}  // namespace crayon::test
