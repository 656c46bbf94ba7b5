// A regular file open for reading, and its bytes: mapped, or copied to private memory.
//
// The identity of the file is read from the open file itself, so identity and bytes match even if the path changes in the
// meantime. Writes to a mapped file are visible in it: replace such files by rename. Truncating a mapped file kills the
// reader (SIGBUS); copies are safe from both.
//
// mapped_file.cpp is for POSIX systems, windows/mapped_file.cpp for Windows, which refuses to truncate a mapped file.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"

namespace crayon {

// A timestamp of the file system's clock.
struct FileTime {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    auto operator<=>(const FileTime&) const = default;  // NOLINT(modernize-use-nullptr): compares the result with 0
};

// Equal identities mean equal bytes, if the first one is settled (below).
//
// Device, inode, size and modification time are not enough: the inode of a deleted file is reused, and programs set
// modification times (npm gives all files of packages the same one). The inode change time is set only by the system, at
// every write, too. It also changes when a file is renamed, linked, or its mode is changed; then the same bytes have
// another identity, which costs no more than opening them again.
struct FileIdentity {
    u64 device = 0;
    u64 inode = 0;
    u64 size = 0;
    FileTime modified;
    FileTime changed;

    bool operator==(const FileIdentity&) const = default;
};

// The state of a file at one moment.
struct FileState {
    FileIdentity identity;
    // Whether any later change changes the identity. False if the file was changed within the same clock tick (some
    // milliseconds long): another change may have the same time.
    bool is_settled = false;
};

// The current state of the file at a path, without opening it; false for anything that OpenFile::open rejects by type.
bool look_at_file(std::string_view path, FileState* out);

class OpenFile {
public:
    OpenFile() = default;
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile();

    // `path` is UTF-8, not NUL-terminated. FILE_NOT_FOUND; FILE_UNREADABLE for anything but a readable regular file;
    // FILE_TOO_LARGE above layout::kMaxFileLength; INVALID_ARGUMENT for a NUL inside. Never waits for the other end of a
    // pipe.
    Status open(std::string_view path);

    // From when it was opened.
    const FileIdentity& identity() const { return state_.identity; }
    bool is_settled() const { return state_.is_settled; }

    // Maps the bytes. Cost: microseconds; then a page fault per 64 KiB or more on first access.
    Status map(OwnedBytes* out) const;
    // Copies the bytes to private memory; fewer bytes if the file is truncated in the meantime.
    Status copy(OwnedBytes* out) const;

private:
    static constexpr std::intptr_t kNoFile = -1;

    // A descriptor, or a Windows handle.
    std::intptr_t file_ = kNoFile;
    FileState state_;
};

}  // namespace crayon
