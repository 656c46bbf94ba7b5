#include "encode/bpe_words.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// A model for PieceEncoder, whose caches know pieces as they are in the text.
class BpeWords {
public:
    using Scratch = BpeScratch;

    explicit BpeWords(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    static constexpr bool kFindsWhole = false;
    static constexpr bool kMakesTogether = false;

    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        if (tokenizer_.inner_patterns().count > 0) {
            const u32 begin = dropped_before(piece, length);
            return begin < length ? split(piece + begin, length - begin, scratch) : encode_nothing(scratch);
        }
        const u32 begin = tokenizer_.dropped().leading(piece, length);
        return encode(piece + begin, length - begin, scratch);
    }

private:
    static bool encode_nothing(BpeScratch& scratch) {
        if (!scratch.ids.resize(1)) return false;  // so that there are some, though none
        scratch.ids.truncate(0);
        return true;
    }

    // A word, whose ids are in scratch.ids then.
    bool encode(const u8* word, u32 length, BpeScratch& scratch) const {
        const Bpe& bpe = tokenizer_.bpe();
        const bool drops_bytes = bpe.hidden().drops_bytes();
        if (length > 0 && (drops_bytes || tokenizer_.ends_words())) {
            if (!scratch.word.resize(length + 1 + Bpe::kPadding)) return false;
            u8* const own = scratch.word.data();
            if (drops_bytes) {
                length = bpe.hidden().without_dropped(word, length, own);
            } else {
                std::memcpy(own, word, length);
            }
            if (tokenizer_.ends_words()) own[length++] = layout::kWordEnd;
            std::memset(own + length, 0, Bpe::kPadding);
            word = own;
        }
        if (length == 0) return encode_nothing(scratch);
        const u32 id = bpe.find(word, length);
        return id == layout::kNone ? bpe.merge(word, length, scratch) : scratch.ids.assign(&id, 1);
    }

    // What the patterns that have made a piece drop of its beginning: inner ones see all of the rest.
    u32 dropped_before(const u8* piece, u32 length) const {
        for (u32 begin = 0;;) {
            if (begin == length) return begin;
            const Character character = decode_character(piece + begin);
            if (begin + character.length > length || !tokenizer_.patterns().drops(character.code_point)) return begin;
            begin += character.length;
        }
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
        // Patterns over bytes may split inside of a character, which is dropped as a whole or not at all.
        u32 character = 0;
        for (u32 begin = 0; const u32 count = scan(state, text, length, true, ends, 2 * kMinBoundaries);) {
            for (const u32* end = ends; end != ends + count; begin = std::max(begin, *end++)) {
                while (character < begin) character += decode_character(text + character).length;
                if (character == begin) begin += tokenizer_.dropped().leading(text + begin, length - begin);
                if (begin >= *end) continue;
                if (!encode(text + begin, *end - begin, scratch)) return false;
                if (scratch.ids.empty()) continue;
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
