#include "encode/marked_pieces.h"

#include <algorithm>
#include <cstring>

#include "base/whitespace.h"

namespace crayon {

namespace {

// A model for PieceEncoder whose memory holds pieces as they are in the text.
class MarkedBpe {
public:
    using Scratch = BpeScratch;
    static constexpr bool kFindsWhole = Bpe::kFindsWhole;

    explicit MarkedBpe(const Bpe& bpe) : bpe_(bpe) {}

    // Longer pieces with spaces are not looked up: merging finds them, too.
    u32 find(const u8* piece, u32 length) const {
        if (!has_space(piece, length)) return bpe_.find(piece, length);
        if (length > kLongestFound) return layout::kNone;
        u8 buffer[kSpaceMarkLength * kLongestFound + Bpe::kPadding];
        return bpe_.find(buffer, put_marks(piece, length, buffer));
    }
    void prefetch(const u8* piece, u32 length) const {
        if (!has_space(piece, length)) return bpe_.prefetch(piece, length);
        u8 buffer[kSpaceMarkLength * kLongestFound + Bpe::kPadding];
        const u32 marked = put_marks(piece, length, buffer);
        if (marked <= kLongestPrefetched) bpe_.prefetch(buffer, marked);
    }
    bool make(const u8* piece, u32 length, u32, BpeScratch& scratch, u32* end) const {
        *end = length;
        if (!has_space(piece, length)) return bpe_.merge(piece, length, scratch);
        if (!scratch.word.resize(u64{kSpaceMarkLength} * length + Bpe::kPadding)) return false;
        if (!bpe_.merge(scratch.word.data(), put_marks(piece, length, scratch.word.data()), scratch)) return false;
        // A mark is one token, except in a damaged cartridge.
        if (scratch.ids.size() > length) scratch.ids.truncate(length);
        return true;
    }
    bool make_all(UnmadePiece* pieces, u32 count, BpeScratch& scratch) const;

private:
    static constexpr u32 kLongestFound = 32;

    // Adds the padding that must be readable after it.
    static u32 put_marks(const u8* piece, u32 length, u8* buffer) {
        const u32 marked = put_space_marks(piece, length, buffer);
        std::memset(buffer + marked, 0, Bpe::kPadding);
        return marked;
    }

    const Bpe& bpe_;
};

// Copies of the pieces, in sequence.
bool MarkedBpe::make_all(UnmadePiece* pieces, u32 count, BpeScratch& scratch) const {
    u64 room = 0;
    for (u32 i = 0; i < count; ++i) room += kSpaceMarkLength * pieces[i].length;
    if (!scratch.word.resize(room + Bpe::kPadding) || !scratch.word_ids.resize(room)) return false;
    UnmadePiece marked[kMostNewPieces];
    u8* text = scratch.word.data();
    u32* ids = scratch.word_ids.data();
    for (u32 i = 0; i < count; ++i) {
        const u32 length = put_space_marks(pieces[i].bytes, pieces[i].length, text);
        marked[i] = {text, length, ids, 0};
        text += length;
        ids += length;
    }
    std::memset(text, 0, Bpe::kPadding);
    if (!bpe_.make_all(marked, count, scratch)) return false;
    for (u32 i = 0; i < count; ++i) {
        pieces[i].count = std::min(marked[i].count, pieces[i].length);
        std::memcpy(pieces[i].ids, marked[i].ids, pieces[i].count * sizeof(u32));
    }
    return true;
}

// The table for a text in which spaces stand for U+2581 and tokens have no spaces: a space joins the same bytes as the
// mark. False if memory is short.
bool join_as_marks(const u8* table, Buffer<u8>* marked) {
    if (!marked->assign(table, layout::kJoinedBytesLength)) return false;
    constexpr u8 kFirst = kSpaceMark[0], kLast = kSpaceMark[kSpaceMarkLength - 1];
    const auto join = [&](u32 a, u32 b, bool is_joined) {
        u8& bits = (*marked)[32 * a + b / 8];
        const u8 bit = static_cast<u8>(1u << b % 8);
        bits = static_cast<u8>(is_joined ? bits | bit : bits & ~bit);
    };
    for (u32 byte = 0; byte < 256; ++byte) {
        const u8 each = static_cast<u8>(byte);
        join(byte, ' ', layout::is_joined(table, each, kFirst));
        join(' ', byte, layout::is_joined(table, kLast, each));
    }
    join(' ', ' ', layout::is_joined(table, kLast, kFirst));
    return true;
}

// BPE over characters in which U+2581 is one token regardless of context, so that no other token contains a part of it.
bool may_take_spaces_for_marks(const Tokenizer& tokenizer) {
    if (!tokenizer.normalizer()->only_marks_spaces() || tokenizer.model_kind() != layout::kBpe) return false;
    if (tokenizer.forms_words() || tokenizer.view().pretokenizer != layout::kNoPretokenizer) return false;
    if (!tokenizer.bpe().hidden().any()) return false;
    u8 mark[kSpaceMarkLength + Bpe::kPadding] = {};
    std::memcpy(mark, kSpaceMark, kSpaceMarkLength);
    return tokenizer.bpe().find(mark, kSpaceMarkLength) != layout::kNone;
}

}  // namespace

Status join_marked(const Tokenizer& tokenizer, Buffer<u8>* joined_bytes) {
    if (!may_take_spaces_for_marks(tokenizer)) return {};
    return join_as_marks(tokenizer.bpe_view().joined_bytes, joined_bytes) ? Status{} : Status::out_of_memory();
}

PieceSource* create_marked_source(const Tokenizer& tokenizer) { return source_of(MarkedBpe(tokenizer.bpe())); }

}  // namespace crayon
