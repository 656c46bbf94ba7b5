// A regular file open for reading, and its bytes: mapped, or copied to private memory.
//
// What the file is (its identity) is asked of the open file itself, so that identity and bytes belong together whatever
// happens to the path meanwhile. A mapped file shows what others write into it: replace such files by rename.
// Shortening one that is mapped kills the reader (SIGBUS); copies are safe from both.
//
// This is the POSIX host; only this folder and simd/ may ask which host it is.
#pragma once

#include <string_view>

#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"

namespace crayon {

// Equal identities of files that are open at the same time: the same bytes, as long as files are replaced by rename.
struct FileIdentity {
    u64 device = 0;
    u64 inode = 0;
    u64 size = 0;
    u64 modified_seconds = 0;
    u64 modified_nanoseconds = 0;

    bool operator==(const FileIdentity&) const = default;
};

class OpenFile {
public:
    OpenFile() = default;
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile();

    // `path` is UTF-8, not NUL-terminated. FILE_NOT_FOUND; FILE_UNREADABLE for anything but a regular file that may be
    // read; FILE_TOO_LARGE above layout::kMaxFileLength; INVALID_ARGUMENT for a NUL inside. Never waits for a pipe's
    // other end.
    Status open(std::string_view path);

    const FileIdentity& identity() const { return identity_; }

    // The bytes in place. Cost: microseconds; then a page fault for every 64 KiB or more that are read for the first
    // time.
    Status map(OwnedBytes* out) const;
    // The bytes in private memory: those there are, if the file is being shortened.
    Status copy(OwnedBytes* out) const;

private:
    int descriptor_ = -1;
    FileIdentity identity_;
};

}  // namespace crayon
