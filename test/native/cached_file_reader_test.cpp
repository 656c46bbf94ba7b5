// A mapped file is read through a buffer: the same bytes, with those before each block, whether they are cached or not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "generate_text.h"
#include "handmade_cartridge.h"
#include "platform/cached_file_reader.h"
#include "platform/mapped_file.h"

namespace crayon::test {
namespace {

constexpr u64 kBlock = BlockReader::kBlock;

void forget_cache(const std::string& path) {
#ifdef POSIX_FADV_DONTNEED
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    ::fsync(descriptor);
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    ::close(descriptor);
#else
    (void)path;
#endif
}

TEST(CachedFileReader, HasTheBytesOfTheFile) {
    const std::string path = testing::TempDir() + "crayon-reader-" + std::to_string(::getpid());
    Random random(11);
    for (const u64 size : {u64{1}, u64{100}, kBlock, kBlock + 1, 8 * kBlock - 1, 8 * kBlock, 8 * kBlock + 1,
                           20 * kBlock + 7, u64{1} << 21, (u64{9} << 20) + 5}) {
        Bytes bytes(size);
        for (u8& byte : bytes) byte = static_cast<u8>(random.next());
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
        for (const bool cached : {true, false}) {
            OpenFile file;
            ASSERT_TRUE(file.open(path).ok());
            OwnedBytes mapped;
            ASSERT_TRUE(file.map(&mapped).ok());
            if (!cached) forget_cache(path);
            CachedFileReader reader(file, mapped.data(), mapped.length());
            for (u64 begin = 0; begin < size; begin += kBlock) {
                const u64 end = std::min(size, begin + kBlock), before = begin == 0 ? 0 : 64;
                const u8* block = reader.read(begin, end);
                ASSERT_TRUE(std::equal(block - before, block + (end - begin),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(begin - before)))
                    << "size " << size << " block at " << begin << (cached ? "" : ", not cached");
            }
        }
    }
    std::remove(path.c_str());
}

}  // namespace
}  // namespace crayon::test
