// WordPiece and Unigram, one of which a tokenizer may have.
//
// Positions are the sum of the lengths of ids (layout/marked_ids.h) and of dropped text (scan/dropped_text.h), which comes
// before the id that follows it.
#pragma once

#include "cartridge/cartridge.h"
#include "model/piece_encoder.h"
#include "scan/dropped_text.h"

namespace crayon {

class Unigram;
class WordPiece;

class TrieModels {
public:
    // For a cartridge with one of these models. OUT_OF_MEMORY.
    static Status create(const Cartridge& cartridge, const DroppedText& dropped, TrieModels** out);
    virtual ~TrieModels() = default;

    // Of the model's pieces; nullptr if memory is short.
    virtual PieceSource* create_source() const;
    // Removes the marks from the ids in a buffer.
    void hand_out(u32* ids, u32 count) const;
    // The length of the text of an id with kPartMark.
    u32 length_of_part(u32 id) const;
    // The id of a token, unmatched ones included, or kNone.
    u32 token_of(std::string_view bytes) const;
    // The models themselves (encode/raw_words.h).
    bool is_unigram() const { return rules_.scores != nullptr; }
    bool sums_floats() const { return is_unigram() && (rules_.unigram->flags & layout::kSumsFloats) != 0; }
    Unigram unigram() const;
    WordPiece word_piece() const;
    // The byte ids that replace ids with kByteMark, or nullptr.
    const u32* byte_ids() const { return rules_.byte_ids; }

private:
    TrieModels(const Cartridge& cartridge, const DroppedText& dropped);

    const LongestMatchView& tables_;
    const TrieRules& rules_;
    const u32 prefix_length_;
    const DroppedText dropped_;
    const SegmentWords words_;
};

}  // namespace crayon
