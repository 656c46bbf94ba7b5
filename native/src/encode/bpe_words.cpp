#include "encode/bpe_words.h"

#include <cstring>

namespace crayon {

namespace {

// A model for PieceEncoder, whose caches know pieces as they are in the text.
class BpeWords {
public:
    using Scratch = BpeScratch;

    explicit BpeWords(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    static constexpr bool kFindsWhole = false;
    static constexpr bool kMakesTogether = false;
    static constexpr size_t kTogetherFrom = 0;

    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        const u32 begin = tokenizer_.dropped().leading(piece, length);
        if (begin < length) {
            const bool is_split = tokenizer_.inner_patterns().count > 0;
            return (this->*(is_split ? &BpeWords::split : &BpeWords::encode))(piece + begin, length - begin, scratch);
        }
        if (!scratch.ids.resize(1)) return false;  // so that there are some, though none
        scratch.ids.truncate(0);
        return true;
    }

private:
    // A word, whose ids are in scratch.ids then.
    bool encode(const u8* word, u32 length, BpeScratch& scratch) const {
        if (tokenizer_.ends_words()) {
            if (!scratch.word.resize(length + 1 + Bpe::kPadding)) return false;
            u8* const ended = scratch.word.data();
            std::memcpy(ended, word, length);
            ended[length] = layout::kWordEnd;
            std::memset(ended + length + 1, 0, Bpe::kPadding);
            word = ended;
            ++length;
        }
        const Bpe& bpe = tokenizer_.bpe();
        const u32 id = bpe.find(word, length);
        return id == layout::kNone ? bpe.merge(word, length, scratch) : scratch.ids.assign(&id, 1);
    }

    // The rest of a piece, as a text of its own.
    bool split(const u8* piece, u32 length, BpeScratch& scratch) const {
        if (!scratch.split_piece.resize(length + kScanPadding)) return false;
        u8* const text = scratch.split_piece.data();
        std::memcpy(text, piece, length);
        std::memset(text + length, 0, kScanPadding);
        const ScanFunction scan = tokenizer_.kernel().scan(layout::kPatternPretokenizer);
        ScanState state;
        state.patterns = &tokenizer_.inner_patterns();
        scratch.word_ids.clear();
        u32 ends[2 * kMinBoundaries];
        for (u32 begin = 0; const u32 count = scan(state, text, length, true, ends, 2 * kMinBoundaries);) {
            for (const u32* end = ends; end != ends + count; begin = *end++) {
                const u32 dropped = tokenizer_.dropped().leading(text + begin, *end - begin);
                if (begin + dropped == *end) continue;
                if (!encode(text + begin + dropped, *end - begin - dropped, scratch)) return false;
                if (!scratch.word_ids.append(scratch.ids.data(), scratch.ids.size())) return false;
            }
        }
        scratch.ids.swap(scratch.word_ids);
        return scratch.ids.reserve(1);
    }

    const Tokenizer& tokenizer_;
};

}  // namespace

bool encode_words(const Tokenizer& tokenizer, const PieceSequence& pieces, BpeScratch& scratch, u32* ids, u32 capacity,
                  PieceProgress* progress) {
    const BpeWords model(tokenizer);
    PieceEncoder<BpeWords> encoder(model, pieces, scratch);
    return ids ? encoder.encode<false>(ids, capacity, progress) : encoder.encode<true>(ids, capacity, progress);
}

void hand_out_words(const Tokenizer& tokenizer, u32* ids, u32 count) {
    for (u32 i = 0; i < count; ++i) ids[i] = tokenizer.without_mark(ids[i]);
}

}  // namespace crayon
