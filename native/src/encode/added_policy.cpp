#include "encode/added_policy.h"

#include <algorithm>

namespace crayon {

Status AddedPolicy::choose(u32 special, std::span<const u32> listed) {
    if (special > CRAYON_SPECIAL_LISTED) return {CRAYON_INVALID_ARGUMENT};
    if (special == special_ && special != CRAYON_SPECIAL_LISTED) return {};
    if (special != CRAYON_SPECIAL_LISTED) listed = {};
    return choose_uses(special, listed);
}

Status AddedPolicy::choose_masked(std::span<const u32> control, std::span<const u32> ranges) {
    Status status = choose_uses(kMasked, control);
    if (status.ok()) status = set_ranges(ranges);
    if (!status.ok()) special_ = CRAYON_SPECIAL_LISTED;
    return status;
}

// Adjacent ranges become one: a token may span both.
Status AddedPolicy::set_ranges(std::span<const u32> ranges) {
    ranges_.clear();
    for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
        const u32 begin = ranges[i], end = ranges[i + 1];
        if (begin > end || (i > 0 && begin < ranges[i - 1])) return {CRAYON_INVALID_ARGUMENT, 0, i / 2};
        if (i > 0 && begin == ranges_.back()) {
            ranges_.back() = end;
        } else if (!ranges_.push_back(begin) || !ranges_.push_back(end)) {
            return Status::out_of_memory();
        }
    }
    return {};
}

bool AddedPolicy::allows(u64 begin, u64 end) const {
    // The first limit above `begin` is the end of the range that contains it, or the beginning of the next one.
    const size_t limit = static_cast<size_t>(std::upper_bound(ranges_.begin(), ranges_.end(), begin) - ranges_.begin());
    return limit % 2 == 1 && end <= ranges_[limit];
}

AddedSearch::Allowance AddedPolicy::allowance() const {
    const auto allows = [](const void* policy, u64 begin, u64 end) {
        return static_cast<const AddedPolicy*>(policy)->allows(begin, end);
    };
    return {allows, this};
}

// `listed`: ids of special tokens to match, or of other tokens to match the same way.
Status AddedPolicy::choose_uses(u32 special, std::span<const u32> listed) {
    const std::span<const layout::AddedToken> rows = tokenizer_.view().added;
    if (!uses_.resize(rows.size())) return Status::out_of_memory();
    ++version_;
    special_ = CRAYON_SPECIAL_LISTED;  // until everything has succeeded
    const bool finds_special = special == CRAYON_SPECIAL_ALLOW || special == CRAYON_SPECIAL_FORBID;
    const AddedUse listed_use = special == kMasked ? AddedUse::kControl : AddedUse::kAlways;
    const AddedUse special_use = finds_special || special == kMasked ? listed_use : AddedUse::kNever;
    for (size_t i = 0; i < rows.size(); ++i) {
        uses_[i] = rows[i].flags & layout::kSpecial ? special_use : AddedUse::kAlways;
    }
    for (size_t k = 0; k < listed.size(); ++k) {
        const std::span<const layout::AddedToken> known = tokenizer_.added_tokens(listed[k]);
        if (known.empty()) return {CRAYON_UNKNOWN_SPECIAL, 0, k};
        for (const layout::AddedToken& token : known) uses_[static_cast<size_t>(&token - rows.data())] = listed_use;
    }
    strips_ = has_early_ = has_late_ = false;
    late_special_ = AddedUse::kNever;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].flags & layout::kNeverFound) uses_[i] = AddedUse::kNever;
        if (uses_[i] == AddedUse::kNever) continue;
        strips_ = strips_ || includes_spaces(rows[i], special);
        (rows[i].flags & layout::kNormalized ? has_late_ : has_early_) = true;
        constexpr u32 kLateSpecial = layout::kNormalized | layout::kSpecial;
        if ((rows[i].flags & kLateSpecial) == kLateSpecial) late_special_ = uses_[i];
    }
    if (has_stages()) {
        if (Status status = divide_uses(); !status.ok()) return status;
    }
    special_ = special;
    return {};
}

Status AddedPolicy::divide_uses() {
    const std::span<const layout::AddedToken> rows = tokenizer_.view().added;
    if (!early_uses_.resize(rows.size()) || !late_uses_.resize(rows.size())) return Status::out_of_memory();
    for (size_t i = 0; i < rows.size(); ++i) {
        const bool is_late = (rows[i].flags & layout::kNormalized) != 0;
        early_uses_[i] = is_late ? AddedUse::kNever : uses_[i];
        late_uses_[i] = is_late ? uses_[i] : AddedUse::kNever;
    }
    return {};
}

AddedSearch::Found AddedFinder::find(const Tokenizer& tokenizer, const AddedPolicy& policy, const u8* text, size_t from,
                                     size_t size, bool last, bool is_new) {
    if (!policy.finds_any()) return {size, nullptr};
    if (version_ != policy.version()) {
        early_.set(tokenizer.added(), policy.early_uses(), policy.allowance());
        late_.set(tokenizer.added(), policy.late_uses(), policy.allowance());
        version_ = policy.version();
        is_new = true;
    }
    if (is_new) {
        early_.restart();
        late_.restart();
    }
    if (is_new || found_.position < from || !(found_.token || last)) found_ = early_.find({text, 0, from, size, last});
    if (!policy.has_stages()) return found_;
    const size_t end = found_.position;
    const AddedSearch::Found found = late_.find({text, 0, from, end, last || found_.token});
    return found.token || found.position < end ? found : found_;
}

}  // namespace crayon
