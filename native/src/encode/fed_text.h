// The text of an encoder: bytes fed and not yet dropped, in one range of memory.
//
//   0 ────── encoded ────── ready ────── ready + raw ── padding
//     done          to be encoded   to be normalized
//
// Positions count from the beginning of the text; bytes()[0] is at origin(). kScanPadding more bytes after the text are
// readable and zero. Text that ends at a token can be sealed: while it is scanned, zeros follow it, as at the end of the
// whole text.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "encode/utf16_windows.h"
#include "scan/scanner.h"

namespace crayon {

class FedText {
public:
    static constexpr size_t kMost = (size_t{1} << 31) - 1;

    // Begins a text, or the part of one that starts at byte `origin`.
    void restart(u64 origin) {
        encoded_ = ready_ = raw_ = 0;
        origin_ = origin;
        is_last_ = is_sealed_ = false;
        is_well_formed_ = true;
        utf16_.restart();
    }

    // Appends a window to the raw text; no window may follow the `last`. Not while sealed. TEXT_TOO_LONG, OUT_OF_MEMORY.
    Status feed_utf8(const u8* bytes, size_t length, bool last);
    Status feed_utf16(const Kernel& kernel, const u16* units, size_t length, bool last);
    bool is_last() const { return is_last_; }
    // Whether all bytes fed so far are known to be UTF-8.
    bool is_well_formed() const { return is_well_formed_; }

    const u8* bytes() const { return bytes_.data(); }
    u64 origin() const { return origin_; }
    u64 position(size_t at) const { return origin_ + at; }
    size_t encoded() const { return encoded_; }
    size_t ready() const { return ready_; }
    size_t raw() const { return raw_; }
    size_t capacity() const { return bytes_.capacity(); }

    void set_encoded(size_t at) { encoded_ = at; }
    // Drops encoded text: the rest moves to the front, and the next feed, or pad(), pads it.
    void drop_encoded();

    // Makes the first bytes of the raw text ready, unchanged.
    void make_ready(size_t length) {
        ready_ += length;
        raw_ -= length;
    }
    // For a normalizer: take the raw text out, append ready text, put back the text that is still raw, and pad the end.
    void take_raw() { raw_ = 0; }
    Status append_ready(const u8* bytes, size_t length) {
        const Status status = append(bytes, length);
        if (status.ok()) ready_ += length;
        return status;
    }
    // The same for bytes that the caller writes, with up to kScanPadding more.
    Status append_ready(size_t length, u8** bytes) {
        if (Status status = reserve(length); !status.ok()) return status;
        *bytes = bytes_.data() + ready_ + raw_;
        ready_ += length;
        return {};
    }
    Status put_back_raw(const u8* bytes, size_t length) {
        const Status status = append(bytes, length);
        if (status.ok()) raw_ = length;
        return status;
    }
    void pad() { std::memset(bytes_.data() + ready_ + raw_, 0, kScanPadding); }

    void seal(size_t at);
    void unseal();
    bool is_sealed() const { return is_sealed_; }

private:
    Status reserve(size_t more);
    Status append(const u8* bytes, size_t length);

    Buffer<u8> bytes_;
    u64 origin_ = 0;
    size_t encoded_ = 0, ready_ = 0, raw_ = 0;
    bool is_last_ = false, is_well_formed_ = true;
    Utf16Windows utf16_;
    bool is_sealed_ = false;
    size_t sealed_at_ = 0;
    u8 sealed_[kScanPadding] = {};  // the bytes overwritten by the seal
};

}  // namespace crayon
