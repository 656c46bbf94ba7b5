#include "general/models.h"

#include <algorithm>

namespace crayon::general {

void Vocabulary::find_bytes(u32* ids) const {
    for (u32 byte = 0; byte < 256; ++byte) {
        const auto digit = [](u32 value) { return static_cast<u8>(value < 10 ? '0' + value : 'A' + value - 10); };
        const u8 name[6] = {'<', '0', 'x', digit(byte / 16), digit(byte % 16), '>'};
        ids[byte] = find(name, 6);
    }
}

Status Model::create(const Definition& definition, const LongestMatchView& tokens) {
    definition_ = definition;
    vocabulary_ = Vocabulary(tokens.trie);
    unknown_id_ = tokens.unknown_id;
    prefix_ = definition.text(definition.head().prefix);
    suffix_ = definition.text(definition.head().suffix);
    vocabulary_.find_bytes(byte_ids_);
    if (definition.head().model == layout::kGeneralBpe) return create_merges(tokens);
    if (definition.head().model == layout::kGeneralWordPiece) {
        u32 base = layout::base_of(tokens.trie.units[0]);
        bool is_found = true;
        for (const char each : prefix_) {
            const u32 byte = static_cast<u8>(each), unit = tokens.trie.units[base ^ byte];
            is_found = is_found && layout::label_of(unit) == byte;
            base = layout::base_of(unit);
        }
        continuation_base_ = is_found ? base : kNoId;
    }
    // The score of what is unknown is 10 less than the least one of all, duplicates and the unknown token itself included.
    if (definition.head().model == layout::kGeneralUnigram) {
        const std::span<const double> scores = definition.rows<double>(definition.head().scores);
        scores_ = scores.data();
        double least = scores[0];
        for (const double each : scores) least = each < least ? each : least;
        unknown_score_ = least - 10.0;
    }
    return {};
}

Status Model::tokenize(const u8* text, u32 length, ModelScratch& scratch, ModelTokens* out) const {
    switch (definition_.head().model) {
        case layout::kGeneralBpe:
            return tokenize_bpe(text, length, scratch, out);
        case layout::kGeneralWordPiece:
            return tokenize_word_piece(text, length, out);
        case layout::kGeneralUnigram:
            return tokenize_unigram(text, length, scratch, out);
        default:
            return tokenize_word_level(text, length, out);
    }
}

Status Model::add_unknown(u32 length, ModelTokens* out) const {
    if (unknown_id_ == kNoId) return {CRAYON_UNKNOWN_CHARACTER};
    return out->push_back({unknown_id_, 0, length}) ? Status{} : Status::out_of_memory();
}

// In the model WORD of sentencepiece, a word without a token may become bytes, whose own tokens are no words.
Status Model::tokenize_word_level(const u8* text, u32 length, ModelTokens* out) const {
    const u32 id = vocabulary_.find(text, length);
    const bool is_byte = id == kNoId || std::find(byte_ids_, byte_ids_ + 256, id) != byte_ids_ + 256;
    const auto has_token = [this](u8 byte) { return byte_ids_[byte] != kNoId; };
    if (definition_.has(layout::kByteFallback) && is_byte && std::all_of(text, text + length, has_token)) {
        bool allocated = true;
        for (u32 at = 0; at < length; ++at) allocated = allocated && out->push_back({byte_ids_[text[at]], 0, length});
        return allocated ? Status{} : Status::out_of_memory();
    }
    if (id == kNoId) return add_unknown(length, out);
    return out->push_back({id, 0, length}) ? Status{} : Status::out_of_memory();
}

// The longest token that the word begins with, then the longest that the prefix with the rest of it begins with, which has text
// behind the prefix. A word with a part without a token is unknown, and one of too many characters.
Status Model::tokenize_word_piece(const u8* text, u32 length, ModelTokens* out) const {
    const u32 max_characters = definition_.head().most_characters;
    u32 characters = 0;
    for (u32 at = 0; at < length && characters <= max_characters; ++characters) at += character_at(text + at).length;
    if (characters > max_characters) return add_unknown(length, out);
    const size_t before = out->size();
    const DoubleArrayView& trie = vocabulary_.trie();
    for (u32 at = 0; at < length;) {
        const u32 base = at == 0 ? layout::base_of(trie.units[0]) : continuation_base_;
        const TrieMatch match = base == kNoId ? TrieMatch{} : longest_prefix(trie, base, text + at, length - at);
        if (match.length == 0) {
            out->truncate(before);
            return add_unknown(length, out);
        }
        if (!out->push_back({match.value, at, at + match.length})) return Status::out_of_memory();
        at += match.length;
    }
    return {};
}

// The path with the greatest sum of scores, as doubles that are added from the beginning; of equals the first that is found,
// which ends with the longest token. Then neighbours on the path that have the unknown id, or are it, are one text: a quirk,
// since that text may be a token, and then is that.
Status Model::tokenize_unigram(const u8* text, u32 length, ModelScratch& scratch, ModelTokens* out) const {
    Buffer<ModelScratch::Node>& nodes = scratch.nodes;
    if (!nodes.assign(size_t{length} + 1, {0, kNoId, kNoId})) return Status::out_of_memory();
    const DoubleArrayView& trie = vocabulary_.trie();
    for (u32 begin = 0; begin < length;) {
        const u32 character = character_at(text + begin).length;
        const double begin_score = nodes[begin].score;
        bool has_single = false;
        const auto offer = [&](u32 end, double score, u32 id) {
            ModelScratch::Node& node = nodes[end];
            if (node.begin != kNoId && !(score + begin_score > node.score)) return true;
            node = {score + begin_score, begin, id};
            return id != kNoId;
        };
        u32 base = layout::base_of(trie.units[0]);
        for (u32 at = begin; at < length; ++at) {
            const u32 index = base ^ text[at], unit = trie.units[index];
            if (layout::label_of(unit) != text[at]) break;
            base = layout::base_of(unit);
            if (!layout::is_terminal(unit)) continue;
            const u32 id = trie.values[index];
            offer(at + 1, scores_[id], id);
            has_single = has_single || at + 1 == begin + character;
        }
        if (!has_single && !offer(begin + character, unknown_score_, unknown_id_)) return {CRAYON_UNKNOWN_CHARACTER, 0, begin};
        begin += character;
    }
    ModelTokens& reversed = scratch.reversed;
    reversed.clear();
    for (u32 end = length; end > 0;) {
        const ModelScratch::Node node = nodes[end];
        const bool is_unknown = node.id == unknown_id_ && unknown_id_ != kNoId;
        if (is_unknown && !reversed.empty() && reversed.back().id == kNoId)
            reversed.back().begin = node.begin;
        else if (!reversed.push_back({is_unknown ? kNoId : node.id, node.begin, end}))
            return Status::out_of_memory();
        end = node.begin;
    }
    for (size_t i = reversed.size(); i-- > 0;) {
        ModelToken token = reversed[i];
        if (token.id == kNoId) token.id = vocabulary_.find(text + token.begin, token.end - token.begin);
        if (token.id == kNoId) {
            bool has_all = definition_.has(layout::kByteFallback);
            for (u32 at = token.begin; at < token.end && has_all; ++at) has_all = byte_ids_[text[at]] != kNoId;
            if (has_all) {
                for (u32 at = token.begin; at < token.end; ++at) {
                    if (!out->push_back({byte_ids_[text[at]], token.begin, token.end})) return Status::out_of_memory();
                }
                continue;
            }
            token.id = unknown_id_;
        }
        if (!out->push_back(token)) return Status::out_of_memory();
    }
    return {};
}

}  // namespace crayon::general
