// The sections of WordPiece, Unigram and the general path. Members of Sections.
#include <cmath>
#include <cstddef>

#include "cartridge/sections.h"
#include "crayon/layout/trie_models.h"

namespace crayon {

namespace {

bool is_score(const layout::UnigramRules& rules, double score) {
    return (rules.flags & layout::kSumsFloats) != 0 ? layout::is_float(score) : std::isfinite(score);
}

}  // namespace

Status Sections::read_trie_model(const SectionTable& table, bool is_slim, SectionRange* sections) {
    const bool is_words = contents_.model_kind == layout::kWordPiece;
    const bool is_general = contents_.model_kind == layout::kGeneral;
    const layout::SectionId rules = is_general ? layout::kGeneralSection : is_words ? layout::kWordPieces : layout::kScores;
    u32 ids = u32{1} << rules | of_pattern() | of_words() | of_program();
    for (const layout::SectionId id : {layout::kMetadata, layout::kModel, layout::kViews, layout::kAddedTokens,
                                       layout::kTokenOffsets, layout::kTokenBytes, layout::kUnmatched}) {
        ids |= u32{1} << id;
    }
    if (!is_slim) ids |= u32{1} << layout::kTrie;
    Status status = find(table, ids, sections);
    if (status.ok()) status = find_no_others(table, ids);
    if (status.ok()) status = read_words_and_pattern(sections);
    if (status.ok()) status = read_longest_match(sections, is_slim);
    if (!status.ok()) return status;
    if (is_general) return read_general(sections[rules]);
    return is_words ? read_word_pieces(sections[rules]) : read_scores(sections[rules]);
}

Status Sections::read_word_pieces(SectionRange section) {
    using layout::WordPieceRules;
    if (section.length < sizeof(WordPieceRules)) return corrupt(section.id, section.offset);
    const WordPieceRules& rules = *at<WordPieceRules>(section.offset);
    const bool is_whole = (rules.flags & layout::kWholeWords) != 0;
    if ((rules.flags & ~u32{layout::kWholeWords}) != 0)
        return corrupt(section.id, section.offset + offsetof(WordPieceRules, flags));
    if (is_whole && rules.most_characters != 0) {
        return corrupt(section.id, section.offset + offsetof(WordPieceRules, most_characters));
    }
    const u64 prefix_at = section.offset + sizeof(WordPieceRules);
    if (prefix_at + rules.prefix_length != section.end() || rules.prefix_length > (is_whole ? 0 : layout::kMaxTokenLength)) {
        return corrupt(section.id, section.offset + offsetof(WordPieceRules, prefix_length));
    }
    if (rules.reserved != 0) return corrupt(section.id, section.offset + offsetof(WordPieceRules, reserved));
    contents_.trie_rules.word_piece = &rules;
    contents_.trie_rules.prefix = {at<char>(prefix_at), rules.prefix_length};
    return {};
}

// The scores themselves are checked once the whole file has been read.
Status Sections::read_scores(SectionRange section) {
    using layout::UnigramRules;
    const u32 count = contents_.tokens.token_count;
    if (section.length < sizeof(UnigramRules)) return corrupt(section.id, section.offset);
    const UnigramRules& rules = *at<UnigramRules>(section.offset);
    if ((rules.flags & ~u32{layout::kFallsBackToBytes | layout::kSumsFloats}) != 0) {
        return corrupt(section.id, section.offset + offsetof(UnigramRules, flags));
    }
    if (rules.reserved != 0) return corrupt(section.id, section.offset + offsetof(UnigramRules, reserved));
    if (!is_score(rules, rules.unknown_score)) return corrupt(section.id, section.offset + offsetof(UnigramRules, unknown_score));
    const u64 scores_at = section.offset + sizeof(UnigramRules), bytes_at = scores_at + u64{count} * sizeof(double);
    const bool has_bytes = (rules.flags & layout::kFallsBackToBytes) != 0;
    if (bytes_at + (has_bytes ? 256 * sizeof(u32) : 0) != section.end()) return corrupt(section.id, section.offset);
    for (u32 byte = 0; has_bytes && byte < 256; ++byte) {
        const u64 id_at = bytes_at + byte * sizeof(u32);
        const u32 id = *at<u32>(id_at);
        if (id != layout::kNone && id >= count) return corrupt(section.id, id_at);
    }
    contents_.trie_rules.unigram = &rules;
    contents_.trie_rules.scores = at<double>(scores_at);
    contents_.trie_rules.byte_ids = has_bytes ? at<u32>(bytes_at) : nullptr;
    return {};
}

// Byte ids are token ids, scores are finite, and a token that continues a word has text after its prefix. A few hundred
// thousand, so checked in one go.
Status Sections::check_scores() const {
    const TrieRules& rules = contents_.trie_rules;
    if (!rules.scores) return {};
    for (u32 id = 0; id < contents_.tokens.token_count; ++id) {
        if (is_score(*rules.unigram, rules.scores[id])) continue;
        return corrupt(layout::kScores, static_cast<u64>(reinterpret_cast<const u8*>(rules.scores + id) - data_));
    }
    for (u32 byte = 0; rules.byte_ids && byte < 256; ++byte) {
        const u32& id = rules.byte_ids[byte];
        if (id == layout::kNone || !contents_.tokens.token(id).empty()) continue;
        return corrupt(layout::kScores, static_cast<u64>(reinterpret_cast<const u8*>(&id) - data_));
    }
    return {};
}

}  // namespace crayon
