// Reads the bytes of a file once, from front to back.
#pragma once

#include "base/integers.h"

namespace crayon {

class BlockReader {
public:
    // The bytes [begin, end) of the file, until the next call; the 64 bytes before them can be read too, unless `begin`
    // is 0. Each call begins where the one before ended. Blocks are kBlock bytes long, the last one may be shorter.
    const u8* read(u64 begin, u64 end) { return read_(*this, begin, end); }

    static constexpr u64 kBlock = 16384;  // stays in the L1 cache between the checks of the gate

protected:
    // Not a virtual function: those of the engine have no type information, which sanitizers look for.
    using Read = const u8* (*)(BlockReader& self, u64 begin, u64 end);
    explicit BlockReader(Read read) : read_(read) {}

private:
    Read read_;
};

}  // namespace crayon
