// The start and end of each id of a text read with offsets, in the unit of the first such call: all of a text is read the
// same way. Text that a normalizer has rewritten has offsets in the raw text.
#pragma once

#include "encode/fed_text.h"
#include "encode/normalizing.h"
#include "encode/token_offsets.h"

namespace crayon {

class IdOffsets {
public:
    // A text begins.
    void restart() {
        is_chosen_ = false;
        byte_range_.left = 0;
        offsets_.restart();
    }
    // The text is read without offsets, or in a unit (CRAYON_UNIT_…): false if the text was partly read in another way.
    void read_without() { choose(kNone); }
    bool read_in(u32 unit) {
        if (unit > CRAYON_UNIT_SPACES || (is_chosen_ && unit_ != unit)) return false;
        choose(unit);
        return true;
    }
    // Whether ids are located in the text.
    bool are_located() const { return is_chosen_ && unit_ <= CRAYON_UNIT_UTF16; }
    // Whether text may be encoded as it is, with pieces of another pretokenizer.
    bool allow_other_pieces() const { return !are_located() && unit_ != CRAYON_UNIT_WORDS; }
    // All ids so far are located, and the next one begins at byte `at` of the text, after dropped text.
    void skip_to(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, size_t at);
    // `removed` bytes were dropped from the front of the text.
    void rebase(size_t removed) { offsets_.rebase(removed); }

    // Writes two offsets for each of the next ids. The text, which must not be sealed, is encoded up to the last of them.
    // TEXT_TOO_LONG if an offset needs more than 32 bits.
    Status locate(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, const u32* ids, u32 count,
                  u32* offsets) {
        if (tokenizer.falls_back_to_bytes()) return locate_byte_ids(tokenizer, text, normalizing, ids, count, offsets);
        return locate_each(tokenizer, text, normalizing, ids, count, offsets);
    }

private:
    static constexpr u32 kNone = ~0u;
    void choose(u32 unit) {
        unit_ = unit;
        is_chosen_ = true;
    }
    // The same where ids may be byte ids (layout/marked_ids.h): the first id of a range stands for all of it.
    Status locate_byte_ids(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, const u32* ids, u32 count,
                           u32* offsets);
    Status locate_each(const Tokenizer& tokenizer, const FedText& text, Normalizing* normalizing, const u32* ids, u32 count,
                       u32* offsets) {
        if (normalizing && normalizing->has_rewritten()) {
            return normalizing->locate(text, unit_ == CRAYON_UNIT_UTF16, offsets_, ids, count, offsets);
        }
        const TokenOffsets::Text where = {text.bytes(), text.ready(), text.encoded(), text.is_well_formed()};
        return offsets_.locate(tokenizer, where, unit_, ids, count, offsets);
    }

    TokenOffsets offsets_;
    u32 unit_ = kNone;
    // The offsets of the last range of bytes, and how many of its ids are still to come.
    struct {
        u32 offsets[2], left;
    } byte_range_ = {{0, 0}, 0};
    bool is_chosen_ = false;
};

}  // namespace crayon
