#include "platform/windows/wide_path.h"

#include <cstring>
#include <cwchar>

#include "platform/windows/win32.h"

namespace crayon {

Status WidePath::set(std::string_view path) {
    if (std::memchr(path.data(), 0, path.size())) return {CRAYON_INVALID_ARGUMENT, 0, 0};
    const int bytes = static_cast<int>(path.size());
    const int length = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, nullptr, 0);
    if (length <= 0) return {CRAYON_FILE_NOT_FOUND, 0, 0};
    Buffer<wchar_t> wide;
    if (!wide.resize(static_cast<std::size_t>(length) + 1)) return Status::out_of_memory();
    ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, wide.data(), length);
    wide[static_cast<std::size_t>(length)] = L'\0';

    // Only with this prefix, before a full path, can a path exceed MAX_PATH on every system.
    constexpr wchar_t kLocal[] = L"\\\\?\\", kShared[] = L"\\\\?\\UNC";
    const bool has_prefix = std::wcsncmp(wide.data(), kLocal, 4) == 0;
    const DWORD full = has_prefix ? 0 : ::GetFullPathNameW(wide.data(), 0, nullptr, nullptr);
    if (full < MAX_PATH) {
        path_ = std::move(wide);
        return {};
    }
    constexpr std::size_t kLongestPrefix = 7;
    if (!path_.resize(kLongestPrefix + full)) return Status::out_of_memory();
    wchar_t* const begin = path_.data() + kLongestPrefix;
    if (::GetFullPathNameW(wide.data(), full, begin, nullptr) >= full) return {CRAYON_FILE_NOT_FOUND, 0, 0};
    // "\\server\share" becomes "\\?\UNC\server\share".
    const bool is_shared = begin[0] == L'\\' && begin[1] == L'\\';
    const std::wstring_view prefix = is_shared ? kShared : kLocal;
    const wchar_t* const rest = is_shared ? begin + 1 : begin;
    std::memmove(path_.data() + prefix.size(), rest, (std::wcslen(rest) + 1) * sizeof(wchar_t));
    std::memcpy(path_.data(), prefix.data(), prefix.size() * sizeof(wchar_t));
    return {};
}

}  // namespace crayon
