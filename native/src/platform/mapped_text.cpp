#include "platform/mapped_text.h"

#if __has_include(<sys/mman.h>) && !defined(__EMSCRIPTEN__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace crayon {

bool cannot_shrink(int descriptor) {
#ifdef F_GET_SEALS
    const int seals = ::fcntl(descriptor, F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0) return true;
#endif
    struct statvfs about;
    return ::fstatvfs(descriptor, &about) == 0 && (about.f_flag & ST_RDONLY) != 0;
}

Status map_text(int descriptor, u64 begin, u64 length, OwnedBytes* out, u32* offset) {
    const u64 page = static_cast<u64>(::sysconf(_SC_PAGESIZE));
    *offset = static_cast<u32>(begin % page);
    const size_t size = static_cast<size_t>(length + *offset);
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, static_cast<off_t>(begin - *offset));
    if (data == MAP_FAILED) return errno == ENOMEM ? Status::out_of_memory() : Status{CRAYON_FILE_UNREADABLE, 0, 0};
#ifdef MADV_SEQUENTIAL
    ::madvise(data, size, MADV_SEQUENTIAL);  // read ahead; failure is harmless
#endif
    *out = OwnedBytes(static_cast<u8*>(data), size, [](u8* p, size_t length_of_it) { ::munmap(p, length_of_it); });
    return {};
}

}  // namespace crayon
#else
namespace crayon {

bool cannot_shrink(int) { return false; }
Status map_text(int, u64, u64, OwnedBytes*, u32*) { return {CRAYON_FILE_UNREADABLE, 0, 0}; }

}  // namespace crayon
#endif
