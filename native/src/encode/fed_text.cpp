#include "encode/fed_text.h"

#include <algorithm>
#include <cstring>

namespace crayon {

// Makes room for `more` bytes and the padding.
Status FedText::reserve(size_t more) {
    const size_t size = ready_ + raw_;
    if (more > kMost || size + more > kMost) return {CRAYON_TEXT_TOO_LONG};
    const size_t needed = size + more + kScanPadding;
    if (needed > bytes_.capacity() && !bytes_.reserve(std::max(needed, 2 * bytes_.capacity()))) {
        return Status::out_of_memory();
    }
    return {};
}

Status FedText::feed_utf8(const u8* bytes, size_t length, bool last) {
    if (Status status = append(bytes, length); !status.ok()) return status;
    raw_ += length;
    is_well_formed_ = false;
    is_last_ = last;
    pad();
    return {};
}

Status FedText::feed_utf16(const Kernel& kernel, const u16* units, size_t length, bool last) {
    if (length > kMost / 3) return {CRAYON_TEXT_TOO_LONG};
    if (Status status = reserve(Utf16Windows::capacity_for(length)); !status.ok()) return status;
    raw_ += utf16_.convert(kernel, units, length, last, bytes_.data() + ready_ + raw_);
    is_last_ = last;
    pad();
    return {};
}

Status FedText::append(const u8* bytes, size_t length) {
    if (Status status = reserve(length); !status.ok()) return status;
    if (length) std::memcpy(bytes_.data() + ready_ + raw_, bytes, length);
    return {};
}

void FedText::drop_encoded() {
    if (encoded_ == 0) return;
    std::memmove(bytes_.data(), bytes_.data() + encoded_, ready_ + raw_ - encoded_);
    ready_ -= encoded_;
    origin_ += encoded_;
    encoded_ = 0;
}

void FedText::seal(size_t at) {
    u8* const after = bytes_.data() + at;
    std::memcpy(sealed_, after, kScanPadding);
    std::memset(after, 0, kScanPadding);
    sealed_at_ = at;
    is_sealed_ = true;
}

void FedText::unseal() {
    if (is_sealed_) std::memcpy(bytes_.data() + sealed_at_, sealed_, kScanPadding);
    is_sealed_ = false;
}

}  // namespace crayon
