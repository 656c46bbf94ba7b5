#include "encode/bpe_words.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// A model for PieceEncoder whose memory holds pieces as they are in the text.
class BpeWords {
public:
    using Scratch = BpeScratch;

    explicit BpeWords(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    static constexpr bool kFindsWhole = false;

    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        bool is_word;
        const u32 begin = word_in(piece, length, &is_word);
        return is_word ? encode(piece + begin, length - begin, scratch) : split(piece + begin, length - begin, scratch);
    }
    bool make_apart(const u8* piece, u32 length, BpeScratch& scratch) const {
        bool is_word;
        const u32 begin = word_in(piece, length, &is_word);
        WordsApart& apart = scratch.apart;
        apart.of_ids.clear();
        apart.count = 0;
        if (!is_word) return split(piece + begin, length - begin, scratch, &apart);
        return encode(piece + begin, length - begin, scratch) && (begin == length || add_word(scratch, apart));
    }
    bool make_all(UnmadePiece* pieces, u32 count, BpeScratch& scratch) const {
        WordsTogether together(tokenizer_, scratch);
        for (UnmadePiece* piece = pieces; piece != pieces + count; ++piece) {
            if (!together.make(piece, piece->bytes, piece->length)) return false;
        }
        return together.finish();
    }

    // The start of the encoded part of a piece, and whether that part is one word.
    u32 word_in(const u8* piece, u32 length, bool* is_word) const {
        const Patterns& patterns = tokenizer_.inner_patterns();
        *is_word = true;
        if (patterns.count == 0) return tokenizer_.dropped().leading(piece, length);
        const u32 begin = dropped_before(piece, length);
        const u8* const rest = piece + begin;
        const u32 left = length - begin;
        *is_word = left == 0 || (patterns.count == 1 && tokenizer_.dropped().at(rest, left) == 0 &&
                                 patterns.tables[0].matches_all(rest, left));
        return begin;
    }

    // The bytes of a word to merge, in the word or in scratch.word. False if memory is short.
    bool form(const u8** word, u32* length, BpeScratch& scratch) const {
        if (*length == 0 || !tokenizer_.ends_words()) return true;
        if (!scratch.word.resize(*length + 1 + Bpe::kPadding)) return false;
        u8* const copy = scratch.word.data();
        std::memcpy(copy, *word, *length);
        // Bytes that are not UTF-8 are not characters, and only the marker byte ends a word.
        if (tokenizer_.bpe().hidden().marks_unknown()) {
            constexpr u8 kNoByte = 0xF8;
            for (u32 i = 0; i < *length; ++i) copy[i] = copy[i] == layout::kWordEnd ? kNoByte : copy[i];
        }
        copy[(*length)++] = layout::kWordEnd;
        std::memset(copy + *length, 0, Bpe::kPadding);
        *word = copy;
        return true;
    }

private:
    // The ids in `scratch` are of the next word.
    static bool add_word(const BpeScratch& scratch, WordsApart& apart) {
        for (size_t left = scratch.ids.size(); left > 0; --left) {
            if (!apart.of_ids.push_back(apart.count)) return false;
        }
        ++apart.count;
        return true;
    }

    // Encodes a word into scratch.ids, at most one id per byte.
    bool encode(const u8* word, u32 length, BpeScratch& scratch) const {
        const u32 capacity = length;
        if (!form(&word, &length, scratch)) return false;
        if (length == 0) {
            if (!scratch.ids.resize(1)) return false;  // allocates the buffer; the word has no ids
            scratch.ids.truncate(0);
            return true;
        }
        const u32 id = tokenizer_.bpe().find(word, length);
        if (id != layout::kNone) return scratch.ids.assign(&id, 1);
        if (!tokenizer_.bpe().merge(word, length, scratch)) return false;
        // In a damaged cartridge, the marker byte may become a token itself.
        if (scratch.ids.size() > capacity) scratch.ids.truncate(capacity);
        return true;
    }

    // The length of the text at the start of a piece that its patterns drop: inner ones see all of the rest.
    u32 dropped_before(const u8* piece, u32 length) const {
        for (u32 begin = 0;;) {
            if (begin == length) return begin;
            const Character character = decode_character(piece + begin);
            if (begin + character.length > length || !tokenizer_.patterns().drops(character.code_point)) return begin;
            begin += character.length;
        }
    }

    // Splits the rest of a piece, as a separate text.
    bool split(const u8* piece, u32 length, BpeScratch& scratch, WordsApart* apart = nullptr) const {
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
            for (const u32* end = ends; end != ends + count; begin = std::max(begin, *end++)) {
                begin += tokenizer_.dropped().leading(text + begin, length - begin);
                if (begin >= *end) continue;
                if (!encode(text + begin, *end - begin, scratch)) return false;
                if (apart && !add_word(scratch, *apart)) return false;
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

PieceSource* create_word_source(const Tokenizer& tokenizer) { return source_of(BpeWords(tokenizer)); }

bool WordsTogether::make(UnmadePiece* target, const u8* piece, u32 length) {
    const BpeWords words(tokenizer_);
    bool is_word;
    const u32 begin = words.word_in(piece, length, &is_word);
    if (!is_word) {
        u32 end;
        if (!words.make(piece, length, 0, scratch_, &end)) return false;
        return take(target, scratch_.ids.data(), static_cast<u32>(scratch_.ids.size())), true;
    }
    const u8* word = piece + begin;
    u32 size = length - begin;
    if (!words.form(&word, &size, scratch_)) return false;
    if (size == 0) return take(target, nullptr, 0), true;
    waiting_[count_++] = {target, size, length - begin};
    if (size <= kLongestPrefetched) tokenizer_.bpe().prefetch(word, size);
    return scratch_.together.append(word, size);
}

// Words with more ids than fit are encoded one by one, like words without any.
void WordsTogether::take(UnmadePiece* target, const u32* ids, u32 count) {
    target->count = count > target->length ? 0 : count;
    if (target->count > 0) std::memcpy(target->ids, ids, target->count * sizeof(u32));
}

bool WordsTogether::finish() {
    if (count_ == 0) return true;
    const size_t size = scratch_.together.size();
    if (!scratch_.together.resize(size + Bpe::kPadding) || !scratch_.together_ids.resize(size)) return false;
    std::memset(scratch_.together.data() + size, 0, Bpe::kPadding);
    UnmadePiece merged[kMostNewPieces];
    u32 at = 0, merged_count = 0;
    for (u32 i = 0; i < count_; ++i) {
        const Waiting waiting = waiting_[i];
        const u8* const text = scratch_.together.data() + at;
        const u32 id = tokenizer_.bpe().find(text, waiting.length);
        if (id != layout::kNone) {
            take(waiting.target, &id, 1);
        } else {
            waiting_[merged_count] = waiting;
            merged[merged_count++] = {text, waiting.length, scratch_.together_ids.data() + at, 0};
        }
        at += waiting.length;
    }
    if (!tokenizer_.bpe().make_all(merged, merged_count, scratch_)) return false;
    for (u32 i = 0; i < merged_count; ++i) {
        take(waiting_[i].target, merged[i].ids, std::min(merged[i].count, waiting_[i].capacity));
    }
    return true;
}

bool encode_piece(const Tokenizer& tokenizer, const u8* piece, u32 length, BpeScratch& scratch) {
    u32 end;
    return BpeWords(tokenizer).make(piece, length, 0, scratch, &end);
}

bool encode_apart(const Tokenizer& tokenizer, const u8* piece, u32 length, BpeScratch& scratch) {
    return BpeWords(tokenizer).make_apart(piece, length, scratch);
}

void hand_out_words(const Tokenizer& tokenizer, u32* ids, u32 count) {
    if (!tokenizer.marks_unknown()) {
        if (!tokenizer.dropped().any()) return;
        for (u32 i = 0; i < count; ++i) ids[i] &= ~layout::kAddedMark;
        return;
    }
    for (u32 i = 0; i < count; ++i) ids[i] = tokenizer.without_mark(ids[i]);
}

}  // namespace crayon
