// Reads a mapped file in the way that takes the least time, which depends on how the system has it in its file cache
// (10.6 MB; November 2026, Linux 6.18, Zen 5):
// - In large pages, as after it was first read through a mapping: mapped. Page faults take 0.04 ms.
// - In small pages, as after it was written: copied to a buffer in the L2 cache, 0.22 ms. Page faults would take 0.3 to
//   0.45 ms. Pages are then mapped where texts first need them: with some ten thousand characters both ways take the
//   same time in all, with less or none this one takes less.
// - Not at all: mapped, which loads it faster (mapped_file.cpp).
#pragma once

#include "base/block_reader.h"
#include "base/buffer.h"

namespace crayon {

class OpenFile;

class CachedFileReader final : public BlockReader {
public:
    // `mapped`: the bytes of the file.
    CachedFileReader(const OpenFile& file, const u8* mapped, u64 length)
        : BlockReader([](BlockReader& self, u64 begin, u64 end) {
              return static_cast<CachedFileReader&>(self).block(begin, end);
          }),
          file_(file),
          mapped_(mapped),
          length_(length) {}

private:
    const u8* block(u64 begin, u64 end);
    bool is_large_page(u64 begin) const;
    bool fill(u64 begin);

    const OpenFile& file_;
    const u8* const mapped_;
    const u64 length_;
    bool may_copy_ = true;     // the system can, and the file is cached as far as it has been read
    bool is_copying_ = false;  // the bytes of the large page that is being read
    Buffer<u8> buffer_;
    u64 begin_ = 0;  // of the bytes in the buffer, in the file
    u64 end_ = 0;
};

}  // namespace crayon
