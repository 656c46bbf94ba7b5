// The checksum of a cartridge (layout/checksum.h), part by part, so that the validator can check other rules on the same
// bytes while they are cached.
#pragma once

#include "base/integers.h"
#include "crayon/layout/checksum.h"
#include "kernels/kernel.h"

namespace crayon {

class Checksum {
public:
    explicit Checksum(const Kernel& kernel = *kernel_at(0));

    // Adds bytes in file order, starting with the header. Every call but the last takes a multiple of kChecksumBlock bytes.
    void update(const u8* bytes, size_t length);
    u64 finish() const;

private:
    const Kernel& kernel_;
    u64 lanes_[layout::kChecksumLanes];
    u64 length_ = 0;
};

}  // namespace crayon
