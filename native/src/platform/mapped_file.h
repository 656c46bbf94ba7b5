// A regular file open for reading, and its bytes: mapped, or copied to private memory.
//
// The identity of the file is read from the open file itself, so that identity and bytes belong together even if the
// path changes meanwhile. Writes to a mapped file are visible in it: replace such files by rename. Truncating a mapped
// file kills the reader (SIGBUS); copies are safe from both.
//
// mapped_file.cpp is for POSIX systems, windows/mapped_file.cpp for Windows, which refuses to truncate a mapped file. Only this
// folder and simd/ may test the platform.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"

namespace crayon {

// A moment of the clock that file systems take their times from.
struct FileTime {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    auto operator<=>(const FileTime&) const = default;  // NOLINT(modernize-use-nullptr): compares the outcome with 0
};

// Equal identities mean equal bytes, if the first one is settled (below).
//
// Device, inode, size and time of modification do not suffice: the inode of a file that was deleted is used again, and
// programs set the time of modification (npm gives all files of packages the same). The time of the last change of the
// inode is set by the system alone, at every write, too. It also changes if a file is renamed or linked, or its mode is
// changed; then the same bytes have another identity, which costs no more than opening them again.
struct FileIdentity {
    u64 device = 0;
    u64 inode = 0;
    u64 size = 0;
    FileTime modified;
    FileTime changed;

    bool operator==(const FileIdentity&) const = default;
};

// A file as it was at a moment.
struct FileState {
    FileIdentity identity;
    // Whether any change from then on changes the identity. False if the file was changed within the same tick of the
    // clock (some milliseconds long): another change may have the same time.
    bool is_settled = false;
};

// The state of what is at a path now, without opening it; false where OpenFile::open would fail because of what it is.
bool look_at_file(std::string_view path, FileState* out);

class OpenFile {
public:
    OpenFile() = default;
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile();

    // `path` is UTF-8, not NUL-terminated. FILE_NOT_FOUND; FILE_UNREADABLE for anything but a regular file that may be
    // read; FILE_TOO_LARGE above layout::kMaxFileLength; INVALID_ARGUMENT for a NUL inside. Never waits for the
    // other end of a pipe.
    Status open(std::string_view path);

    // When it was opened.
    const FileIdentity& identity() const { return state_.identity; }
    bool is_settled() const { return state_.is_settled; }

    // Maps the bytes. Cost: microseconds; then a page fault for every 64 KiB or more on first access.
    Status map(OwnedBytes* out) const;
    // Copies the bytes to private memory; fewer, if the file is truncated meanwhile.
    Status copy(OwnedBytes* out) const;

private:
    static constexpr std::intptr_t kNoFile = -1;

    // A descriptor, or a handle of Windows.
    std::intptr_t file_ = kNoFile;
    FileState state_;
};

}  // namespace crayon
