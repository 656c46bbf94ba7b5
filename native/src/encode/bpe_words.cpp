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

    // A word, whose ids are in scratch.ids then, at most one for each of its bytes.
    bool encode(const u8* word, u32 length, BpeScratch& scratch) const {
        const Bpe& bpe = tokenizer_.bpe();
        const u32 most = length;
        bool takes_whole = false;
        if (length > 0 && (tokenizer_.dropped().leaves_out() || tokenizer_.begins_words() || tokenizer_.ends_words())) {
            if (!scratch.word.resize(length + 2 + Bpe::kPadding)) return false;
            u8* const own = scratch.word.data();
            u8* end = own;
            if (tokenizer_.begins_words()) *end++ = layout::kWordBegin;
            end += copy(word, length, end);
            std::memset(end, 0, 1 + Bpe::kPadding);
            if (tokenizer_.ends_words()) {
                takes_whole = (tokenizer_.bpe_view().hidden->flags & layout::kWholeText) != 0;
                const u32 id = takes_whole ? bpe.find(own, static_cast<u32>(end - own)) : layout::kNone;
                if (id != layout::kNone) return scratch.ids.assign(&id, 1);
                *end++ = layout::kWordEnd;
            }
            word = own;
            length = static_cast<u32>(end - own);
        }
        if (length == 0) return encode_nothing(scratch);
        u32 id = bpe.find(word, length);
        // As a whole, only a piece as it is was looked for.
        if (takes_whole && id != layout::kNone && !tokenizer_.bpe_view().is_merged(id)) id = layout::kNone;
        if (id != layout::kNone) return scratch.ids.assign(&id, 1);
        if (!bpe.merge(word, length, scratch)) return false;
        // In a damaged cartridge, what is around a word may be tokens of its own.
        if (scratch.ids.size() > most) scratch.ids.truncate(most);
        return true;
    }

    // Of a word, what is merged; returns how long that is.
    u32 copy(const u8* word, u32 length, u8* out) const {
        const HiddenTokens& hidden = tokenizer_.bpe().hidden();
        if (hidden.drops_bytes()) return hidden.without_dropped(word, length, out);
        if (hidden.drops_characters()) {
            u32 size = 0;
            for (u32 at = 0; at < length;) {
                const u32 left_out = tokenizer_.dropped().left_out(word + at, length - at);
                const u32 kept = left_out > 0 ? 0 : character_in(word, at, length).length;
                std::memcpy(out + size, word + at, kept);
                size += kept;
                at += left_out + kept;
            }
            return size;
        }
        std::memcpy(out, word, length);
        // Bytes that are not UTF-8 are no characters, and nothing is around a word but what is put there.
        if (hidden.marks_unknown() && (tokenizer_.bpe_view().hidden->flags & layout::kOnlyBytes) == 0) {
            constexpr u8 kNoByte = 0xF8;
            for (u32 i = 0; i < length; ++i) out[i] = out[i] >= layout::kWordBegin ? kNoByte : out[i];
        }
        return length;
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
