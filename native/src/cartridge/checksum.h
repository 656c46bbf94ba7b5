// The checksum of a cartridge (layout/checksum.h), block by block, so that the gate can check other rules of the same bytes
// while they are in the cache.
#pragma once

#include "base/integers.h"

namespace crayon {

class Checksum {
public:
    Checksum();

    // Adds bytes in file order, from the header on. Every call but the last takes a multiple of 64 bytes.
    void update(const u8* bytes, size_t length);
    u64 finish() const;

private:
    u64 lanes_[8];
    u64 length_ = 0;
};

}  // namespace crayon
