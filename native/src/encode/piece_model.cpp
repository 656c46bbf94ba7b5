#include "encode/piece_model.h"

#include <cstring>

#include "encode/bpe_words.h"
#include "module_features.h"

namespace crayon {

PieceSource* create_piece_source(const Tokenizer& tokenizer) {
    if (tokenizer.forms_words()) return kFeatures.word_source(tokenizer);
    if (tokenizer.marks_spaces()) return kFeatures.marked_source(tokenizer);
    if (const TrieModels* models = tokenizer.trie_models()) return models->create_source();
    return tokenizer.model_kind() == layout::kBpe ? source_of(tokenizer.bpe()) : source_of(tokenizer.longest_match());
}

bool PieceModel::encode(const PieceSequence& pieces, u32* ids, u32 capacity, PieceProgress* progress) {
    if (is_raw_) return tokenizer_.raw_words()->encode(pieces, *raw_, ids, capacity, progress);
    if (raw_) share_limit();
    return tokenizer_.source()->encode(pieces, scratch_, ids, capacity, progress);
}

Status PieceModel::failure() const { return is_raw_ && !raw_->failure.ok() ? raw_->failure : Status::out_of_memory(); }

bool PieceModel::encode_apart(const u8* piece, u32 length) {
    if (!kFeatures.encode_apart(tokenizer_, piece, length, scratch_)) return false;
    has_rest_ = !scratch_.ids.empty();
    rest_at_ = 0;
    return true;
}

bool PieceModel::use_raw() {
    if (!raw_) {
        raw_ = tokenizer_.raw_words()->create_scratch();
        if (!raw_) return false;
        set_limits();
    }
    if (scratch_.cache_bytes() > 0) share_limit();
    raw_->failure = {};
    return is_raw_ = true;
}

u32 PieceModel::take_rest(u32* ids, u32 capacity) {
    const u32 left = static_cast<u32>(last_ids().size()) - rest_at_;
    const u32 taken = left < capacity ? left : capacity;
    if (ids) std::memcpy(ids, last_ids().data() + rest_at_, taken * sizeof(u32));
    rest_at_ += taken;
    has_rest_ = taken < left;
    return taken;
}

void PieceModel::replace_unknown(u32* ids, u32 count) const {
    const u32 unknown_id = tokenizer_.unknown_id();
    if (const TrieModels* models = tokenizer_.trie_models()) return models->hand_out(ids, count);
    if (tokenizer_.forms_words()) return hand_out_words(tokenizer_, ids, count);
    if (tokenizer_.marks_unknown()) {
        for (u32 i = 0; i < count; ++i) ids[i] = ids[i] >= layout::kUnknownMark ? unknown_id : ids[i];
        return;
    }
    if (tokenizer_.model_kind() == layout::kBpe || !tokenizer_.longest_match().has_unknown_characters()) return;
    for (u32 i = 0; i < count; ++i) ids[i] = ids[i] >= layout::kFirstReservedId ? unknown_id : ids[i];
}

}  // namespace crayon
