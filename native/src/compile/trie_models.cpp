// WordPiece and Unigram vocabularies. Members of Compiler.
#include <cmath>
#include <utility>

#include "compile/compiler.h"
#include "crayon/layout/general.h"
#include "crayon/layout/trie_models.h"

namespace crayon {

namespace {

template <class Row>
bool append_rows(const Row* rows, size_t count, Buffer<u8>* out) {
    return out->append(reinterpret_cast<const u8*>(rows), count * sizeof(Row));
}

}  // namespace

Status Compiler::set_trie_model(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                                std::span<const u32> unmatched, layout::ModelKind kind, Buffer<u8> rules) {
    for (size_t i = 0; i < unmatched.size(); ++i) {
        const u32 id = unmatched[i];
        const bool is_token = id < token_count && (i == 0 || id > unmatched[i - 1]) && offsets[id] < offsets[id + 1];
        if (!is_token) return {CRAYON_INVALID_ARGUMENT, layout::kUnmatched, i};
    }
    if (Status status = set_longest_match(bytes, byte_count, offsets, token_count, unknown_id, unmatched); !status.ok()) {
        return status;
    }
    model_.kind = kind;
    rules_ = std::move(rules);
    return {};
}

Status Compiler::set_word_piece(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                                std::span<const u32> unmatched, std::string_view prefix, u32 most_characters, bool is_whole) {
    const bool is_possible = is_whole ? prefix.empty() && most_characters == 0 : prefix.size() <= layout::kMaxTokenLength;
    if (!is_possible) return {CRAYON_INVALID_ARGUMENT, layout::kWordPieces, 0};
    const layout::WordPieceRules head = {is_whole ? u32{layout::kWholeWords} : 0, most_characters,
                                         static_cast<u32>(prefix.size()), 0};
    Buffer<u8> rules;
    if (!append_rows(&head, 1, &rules) || !append_rows(prefix.data(), prefix.size(), &rules)) return Status::out_of_memory();
    return set_trie_model(bytes, byte_count, offsets, token_count, unknown_id, unmatched, layout::kWordPiece, std::move(rules));
}

Status Compiler::set_unigram(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                             std::span<const u32> unmatched, const double* scores, double unknown_score, const u32* byte_ids,
                             bool sums_floats) {
    u32 used_count = token_count;  // without the holes after the last token
    while (used_count > 0 && offsets[used_count] == offsets[used_count - 1]) --used_count;
    const auto is_score = [sums_floats](double score) { return sums_floats ? layout::is_float(score) : std::isfinite(score); };
    if (!is_score(unknown_score)) return {CRAYON_INVALID_ARGUMENT, layout::kScores, used_count};
    for (u32 id = 0; id < used_count; ++id) {
        if (!is_score(scores[id])) return {CRAYON_INVALID_ARGUMENT, layout::kScores, id};
    }
    for (u32 byte = 0; byte_ids && byte < 256; ++byte) {
        const u32 id = byte_ids[byte];
        if (id != layout::kNone && (id >= used_count || offsets[id] >= offsets[id + 1])) {
            return {CRAYON_INVALID_ARGUMENT, layout::kScores, byte};
        }
    }
    const u32 flags = (byte_ids ? u32{layout::kFallsBackToBytes} : 0) | (sums_floats ? u32{layout::kSumsFloats} : 0);
    const layout::UnigramRules head = {flags, 0, unknown_score};
    Buffer<u8> rules;
    if (!append_rows(&head, 1, &rules) || !append_rows(scores, used_count, &rules) ||
        (byte_ids && !append_rows(byte_ids, 256, &rules))) {
        return Status::out_of_memory();
    }
    return set_trie_model(bytes, byte_count, offsets, token_count, unknown_id, unmatched, layout::kUnigram, std::move(rules));
}

Status Compiler::set_general(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown_id,
                             std::span<const u32> unmatched, std::string_view section) {
    if (section.size() < sizeof(layout::GeneralTokenizer)) return {CRAYON_INVALID_ARGUMENT, layout::kGeneralSection, 0};
    Buffer<u8> rules;
    if (!append_rows(section.data(), section.size(), &rules)) return Status::out_of_memory();
    return set_trie_model(bytes, byte_count, offsets, token_count, unknown_id, unmatched, layout::kGeneral, std::move(rules));
}

}  // namespace crayon
