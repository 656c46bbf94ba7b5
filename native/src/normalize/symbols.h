// The user-defined symbols of a SentencePiece model, which normalizers leave unchanged: texts sorted by their bytes.
//
// u32 count, u32 ends[count], then the texts. The bytes may be arbitrary if is_one() accepts them: every read is checked.
#pragma once

#include "base/integers.h"

namespace crayon {

class Symbols {
public:
    Symbols() = default;
    // Whether the ends ascend, no text is empty, and the texts fill the rest. `data` must outlive this.
    static bool is_one(const u8* data, size_t length);
    explicit Symbols(const u8* data);

    struct Longest {
        size_t length;  // 0 if there is none
        bool is_open;   // a longer symbol may continue past the text
        u32 index;      // which one it is
    };
    // The longest symbol that text[0, length) begins with. As in sentencepiece, only the 64 shortest of nested symbols
    // count. Cost: the bytes, times the logarithm of the number of symbols.
    Longest find(const u8* text, size_t length) const;

private:
    u32 begin_of(u32 index) const;
    u32 end_of(u32 index) const;

    const u8* ends_ = nullptr;
    const u8* texts_ = nullptr;
    u32 count_ = 0;
    bool begins_[256] = {};
};

}  // namespace crayon
