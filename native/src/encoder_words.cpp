// What the encoder does where added tokens are found in what others leave, or only as whole words (scan/whole_words.h).
#include "encoder.h"

namespace crayon {

Status Encoder::set_stages(bool has_early, bool has_late) {
    const AddedTokens& tokens = tokenizer_.added();
    const AddedSearch::Allowance raw = {allows_raw, this}, late = {tokenizer_.nfc() ? allows_late : allows_raw, this};
    const AddedUse *early_uses = uses_.data(), *late_uses = uses_.data();
    if (has_stages_) {
        const std::span<const layout::AddedToken> rows = tokenizer_.view().added;
        if (!early_uses_.resize(rows.size()) || !late_uses_.resize(rows.size())) return Status::out_of_memory();
        for (size_t i = 0; i < rows.size(); ++i) {
            const bool is_late = (rows[i].flags & layout::kNormalized) != 0;
            early_uses_[i] = is_late ? AddedUse::kNever : uses_[i];
            late_uses_[i] = is_late ? uses_[i] : AddedUse::kNever;
        }
        early_uses = early_uses_.data();
        late_uses = late_uses_.data();
    }
    // Without a normalizer, the only tokens there are need not be late.
    late_.is_used = has_late && (has_early || tokenizer_.nfc());
    early_.is_used = has_early || !late_.is_used;
    early_.search.set(tokens, early_uses, raw);
    late_.search.set(tokens, late_uses, late);
    other_early_.set(tokens, early_uses, {});
    other_late_.set(tokens, late_uses, {});
    return {};
}

AddedSearch::Found Encoder::find_added(const u8* text, size_t from, size_t size, bool last, bool is_new) {
    if (!split_) return {size, nullptr};
    if (is_new) {
        other_early_.restart();
        other_late_.restart();
    }
    if (is_new || other_found_.position < from || !(other_found_.token || last)) {
        other_found_ = other_early_.find({text, 0, from, size, last});
    }
    if (!has_stages_) return other_found_;
    const size_t end = other_found_.position;
    const AddedSearch::Found found = other_late_.find({text, 0, from, end, last || other_found_.token});
    return found.token || found.position < end ? found : other_found_;
}

// The next added token of the unready text that a stage has not searched, in which a token is text[hit.begin, hit.end). What is
// searched begins at `at`, and ends at `end` if it is `last`.
Status Encoder::find_unready(Stage& stage, size_t at, size_t end, bool last, Stripped* hit) {
    const AddedSearch::Text text = {unready(), raw_begin_, at + stage.searched, end, last};
    AddedSearch::Found found;
    if (!words_) {
        found = stage.search.find(text);
    } else if (!stage.words.find(stage.search, text, &found)) {
        return Status::out_of_memory();
    }
    *hit = strip(stage, found, at, end, last);
    if (words_) stage.words.advance(text, hit->token ? hit->end : hit->position, !hit->token && last);
    stage.searched = hit->position - at;
    return {};
}

// The next added token after the normalizer, from the end of the segment on, in text that ends at `end` if it is `last`.
Status Encoder::find_late(size_t end, bool last, AddedSearch::Found* hit) {
    const AddedSearch::Text text = {text_.data(), offset_, segment_end_, end, last};
    if (!words_) {
        *hit = late_.search.find(text);
        return {};
    }
    if (!late_.words.find(late_.search, text, hit)) return Status::out_of_memory();
    late_.words.advance(text, hit->position + (hit->token ? hit->token->length : 0), hit->token || last);
    return {};
}

// How many of the pieces that end at ends[0, count) are up to the last stop there; all if there is none.
u32 Encoder::up_to_stop(const u32* ends, u32 count) const {
    for (u32 i = count; i > 0; --i) {
        if (is_stop(offset_ + ends[i - 1])) return i;
    }
    return count;
}

// Whether the text from a place on is encoded as in the whole text (parallel/chain.h).
bool Encoder::is_stop(u64 place) const {
    if (rewrites_.is_inside(place)) return false;
    const bool may_get_space = tokenizer_.puts_space_first();
    if (!words_ && !may_get_space) return true;
    if (place == offset_ + size_ && !last_) return false;  // not searched yet
    // There is a space in front, since it follows an added token.
    if (may_get_space && rewrites_.grows_at(place)) return false;
    if (!words_) return true;
    const u64 raw = rewrites_.raw(place);
    return !early_.words.holds(raw) && !late_.words.holds(tokenizer_.nfc() ? place : raw);
}

}  // namespace crayon
