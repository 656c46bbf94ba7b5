#include "normalize/marked_spaces.h"

#include <bit>

namespace crayon {

bool AlikeRows::end() {
    const u64 starts = starts_;
    starts_ = 0;
    return starts == 0 || to_.rewrites->add_alike(to_.position + begin_, to_.raw_position + raw_begin_, starts, each_);
}

u8* put_marked(const u8* text, size_t begin, size_t at, size_t end, const SpaceMark& mark, u8* out, const u8* out_begin,
               AlikeRows& rows) {
    constexpr size_t kWord = 8, kBlock = 64, kCopied = 16;
    static_assert(kCopied <= Normalizer::kRunSlack);
    while (at < end) {
        const size_t size = end - at < kBlock ? end - at : kBlock;
        u64 spaces = 0;
        for (size_t i = 0; i < size; i += kWord) spaces |= spaces_in_word(text + at + i) << i;
        if (size < kBlock) spaces &= (u64{1} << size) - 1;
        const u8* from = text + at;
        const auto copy = [&](const u8* to) {
            const size_t length = static_cast<size_t>(to - from);
            for (size_t i = 0; i < length; i += kCopied) std::memcpy(out + i, from + i, kCopied);
            out += length;
        };
        for (; spaces != 0; spaces &= spaces - 1) {
            const u8* const space = text + at + std::countr_zero(spaces);
            copy(space);
            if (!rows.add(static_cast<size_t>(out - out_begin), static_cast<size_t>(space - text) - begin)) return nullptr;
            std::memcpy(out, mark.bytes, sizeof mark.bytes);
            out += mark.length;
            from = space + 1;
        }
        at += size;
        copy(text + at);
    }
    return out;
}

}  // namespace crayon
