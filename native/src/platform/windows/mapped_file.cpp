#include "platform/mapped_file.h"

#include "crayon/layout/cartridge.h"
#include "platform/windows/wide_path.h"
#include "platform/windows/win32.h"

namespace crayon {

namespace {

Status last_error() {
    switch (::GetLastError()) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_NAME:
        case ERROR_BAD_NETPATH:
            return {CRAYON_FILE_NOT_FOUND, 0, 0};
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_OUTOFMEMORY:
        case ERROR_COMMITMENT_LIMIT:
            return Status::out_of_memory();
        default:
            return {CRAYON_FILE_UNREADABLE, 0, 0};
    }
}

// `ticks`: units of 100 nanoseconds.
FileTime time_of(std::int64_t ticks) {
    constexpr std::int64_t kPerSecond = 10'000'000;
    return {ticks / kPerSecond, ticks % kPerSecond * 100};
}

std::int64_t ticks_of(const FILETIME& time) {
    return static_cast<std::int64_t>(static_cast<u64>(time.dwHighDateTime) << 32 | time.dwLowDateTime);
}

FileTime system_time() {
    FILETIME now;
    ::GetSystemTimeAsFileTime(&now);
    return time_of(ticks_of(now));
}

// Others may write, replace and delete the file, as on other systems.
HANDLE open_with(const WidePath& path, DWORD access) {
    constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    return ::CreateFileW(path.text(), access, kShared, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
}

// False for anything but a file on a disk. `now`: taken before the call.
bool state_of(HANDLE file, FileTime now, FileState* out) {
    BY_HANDLE_FILE_INFORMATION about;
    FILE_BASIC_INFO times;
    if (::GetFileType(file) != FILE_TYPE_DISK || !::GetFileInformationByHandle(file, &about) ||
        (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ||
        !::GetFileInformationByHandleEx(file, FileBasicInfo, &times, sizeof(times))) {
        return false;
    }
    FileIdentity& identity = out->identity;
    identity.device = about.dwVolumeSerialNumber;
    identity.inode = static_cast<u64>(about.nFileIndexHigh) << 32 | about.nFileIndexLow;
    identity.size = static_cast<u64>(about.nFileSizeHigh) << 32 | about.nFileSizeLow;
    identity.modified = time_of(ticks_of(about.ftLastWriteTime));
    identity.changed = time_of(times.ChangeTime.QuadPart);
    out->is_settled = identity.changed < now;
    return true;
}

}  // namespace

bool look_at_file(std::string_view path, FileState* out) {
    WidePath wide;
    if (!wide.set(path).ok()) return false;
    const FileTime now = system_time();
    const HANDLE file = open_with(wide, FILE_READ_ATTRIBUTES);
    if (file == INVALID_HANDLE_VALUE) return false;
    const bool is_file = state_of(file, now, out);
    ::CloseHandle(file);
    return is_file;
}

OpenFile::~OpenFile() {
    if (file_ != kNoFile) ::CloseHandle(reinterpret_cast<HANDLE>(file_));
}

Status OpenFile::open(std::string_view path) {
    WidePath wide;
    const Status status = wide.set(path);
    if (!status.ok()) return status;
    const HANDLE file = open_with(wide, GENERIC_READ);
    if (file == INVALID_HANDLE_VALUE) return last_error();
    file_ = reinterpret_cast<std::intptr_t>(file);
    if (!state_of(file, system_time(), &state_)) return {CRAYON_FILE_UNREADABLE, 0, 0};
    if (identity().size > layout::kMaxFileLength) return {CRAYON_FILE_TOO_LARGE, 0, 0};
    return {};
}

Status OpenFile::map(OwnedBytes* out) const {
    *out = OwnedBytes();
    const size_t length = identity().size;
    if (length == 0) return {};  // nothing to map, and Windows refuses
    const HANDLE mapping = ::CreateFileMappingW(reinterpret_cast<HANDLE>(file_), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (!mapping) return last_error();
    void* const data = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, length);
    const Status status = data ? Status{} : last_error();
    ::CloseHandle(mapping);  // the view keeps it
    if (data) *out = OwnedBytes(static_cast<u8*>(data), length, [](u8* p, size_t) { ::UnmapViewOfFile(p); });
    return status;
}

Status OpenFile::copy(OwnedBytes* out) const {
    constexpr size_t kMostAtOnce = size_t{1} << 30;
    Status status = OwnedBytes::allocate(identity().size, out) ? Status{} : Status::out_of_memory();
    size_t filled = 0;
    while (status.ok() && filled < out->length()) {
        OVERLAPPED at = {};
        at.Offset = static_cast<DWORD>(filled);
        at.OffsetHigh = static_cast<DWORD>(static_cast<u64>(filled) >> 32);
        const size_t left = out->length() - filled;
        DWORD count = 0;
        const BOOL has_read = ::ReadFile(reinterpret_cast<HANDLE>(file_), out->data() + filled,
                                         static_cast<DWORD>(left < kMostAtOnce ? left : kMostAtOnce), &count, &at);
        if (has_read && count > 0) {
            filled += count;
        } else if (has_read || ::GetLastError() == ERROR_HANDLE_EOF) {
            out->shorten(filled);
        } else {
            status = last_error();
        }
    }
    if (!status.ok()) *out = OwnedBytes();
    return status;
}

}  // namespace crayon
