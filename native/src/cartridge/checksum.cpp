#include "cartridge/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "crayon/layout/cartridge.h"

namespace crayon {

using layout::kChecksumBlock;

Checksum::Checksum(const Kernel& kernel) : kernel_(kernel) {
    for (u64 i = 0; i < layout::kChecksumLanes; ++i) lanes_[i] = layout::kChecksumSeed * (2 * i + 1);
}

void Checksum::update(const u8* bytes, size_t length) {
    size_t at = 0;
    u8 padded[kChecksumBlock] = {};
    if (length_ == 0) {  // the checksum's own field counts as zero
        at = std::min<size_t>(length, kChecksumBlock);
        std::memcpy(padded, bytes, at);
        std::memset(padded + layout::kChecksumOffset, 0, 8);
        kernel_.checks->checksum_blocks(lanes_, padded, length > 0);
    }
    const size_t blocks = (length - at) / kChecksumBlock;
    kernel_.checks->checksum_blocks(lanes_, bytes + at, blocks);
    at += blocks * kChecksumBlock;
    if (at < length) {
        std::memset(padded, 0, sizeof padded);
        std::memcpy(padded, bytes + at, length - at);
        kernel_.checks->checksum_blocks(lanes_, padded, 1);
    }
    length_ += length;
}

u64 Checksum::finish() const {
    u64 x = length_;
    for (u64 lane : lanes_) x = std::rotl((x ^ lane) * layout::kChecksumFold, layout::kChecksumRotation);
    return x ^ (x >> 32);
}

}  // namespace crayon
