#include "encode/bpe_words.h"

namespace crayon {

namespace {

// A model for PieceEncoder, whose caches know pieces as they are in the text.
class BpeWords {
public:
    using Scratch = BpeScratch;

    explicit BpeWords(const Tokenizer& tokenizer) : bpe_(tokenizer.bpe()), dropped_(tokenizer.dropped()) {}

    static constexpr bool kFindsWhole = false;
    static constexpr bool kMakesTogether = false;
    static constexpr size_t kTogetherFrom = 0;

    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        const u32 begin = dropped_.leading(piece, length);
        if (!scratch.ids.resize(1)) return false;
        scratch.ids.truncate(0);
        if (begin == length) return true;
        const u32 id = bpe_.find(piece + begin, length - begin);
        return id == layout::kNone ? bpe_.merge(piece + begin, length - begin, scratch) : scratch.ids.assign(&id, 1);
    }

private:
    const Bpe& bpe_;
    const DroppedText& dropped_;
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
