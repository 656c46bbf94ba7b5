// What the encoder does once, or rarely: it is created, chooses which added tokens are found and where, and reads piece by piece.
// In modules this is optimized for size (CMakeLists.txt).
#include <algorithm>
#include <new>

#include "encoder.h"

namespace crayon {

// Whether a token includes the whitespace around it. (The text ends at a forbidden one.)
bool Encoder::includes_spaces(const layout::AddedToken& token, u32 special) {
    if (special == CRAYON_SPECIAL_FORBID && (token.flags & layout::kSpecial)) return false;
    return (token.flags & (layout::kLstrip | layout::kRstrip)) != 0;
}

Status Encoder::create(Tokenizer& tokenizer, Encoder** out) {
    if (tokenizer.model_kind() == layout::kDnaModel) return {CRAYON_INVALID_ARGUMENT};
    Encoder* encoder = new (std::nothrow) Encoder(tokenizer);
    if (!encoder) return Status::out_of_memory();
    tokenizer.retain();
    encoder->scan_.joints = &tokenizer.joints();
    encoder->scan_.patterns = &tokenizer.patterns();
    encoder->early_.words.set_characters(tokenizer.view().words);
    encoder->late_.words.set_characters(tokenizer.view().words);
    Status status = encoder->begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0);
    if (status.ok()) {
        *out = encoder;
    } else {
        delete encoder;
    }
    return status;
}

Encoder::~Encoder() { tokenizer_.release(); }

Status Encoder::begin_masked(std::span<const u32> control, std::span<const u32> ranges) {
    Status status = choose_added_tokens(kMasked, control);
    if (status.ok()) status = set_ranges(ranges);
    if (status.ok()) start_text();
    return status;
}

// Ranges that touch become one: a token may be in both.
Status Encoder::set_ranges(std::span<const u32> ranges) {
    ranges_.clear();
    for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
        const u32 begin = ranges[i], end = ranges[i + 1];
        if (begin > end || (i > 0 && begin < ranges[i - 1])) {
            special_ = CRAYON_SPECIAL_LISTED;
            return {CRAYON_INVALID_ARGUMENT, 0, i / 2};
        }
        if (i > 0 && begin == ranges_.back()) {
            ranges_.back() = end;
        } else if (!ranges_.push_back(begin) || !ranges_.push_back(end)) {
            special_ = CRAYON_SPECIAL_LISTED;
            return Status::out_of_memory();
        }
    }
    return {};
}

bool Encoder::allows_raw(const void* encoder, u64 begin, u64 end) {
    const Buffer<u32>& ranges = static_cast<const Encoder*>(encoder)->ranges_;
    // The first limit above `begin` is the end of the range that it is in, or the beginning of the next one.
    const size_t limit = static_cast<size_t>(std::upper_bound(ranges.begin(), ranges.end(), begin) - ranges.begin());
    return limit % 2 == 1 && end <= ranges[limit];
}

// Places after the normalizer: what is within a rewritten stretch is of all its text.
bool Encoder::allows_late(const void* encoder, u64 begin, u64 end) {
    const Rewrites& rewrites = static_cast<const Encoder*>(encoder)->rewrites_;
    return allows_raw(encoder, rewrites.raw(begin), rewrites.raw_end(end));
}

// `listed`: ids of special tokens that are found, or of others that are found like them.
Status Encoder::choose_added_tokens(u32 special, std::span<const u32> listed) {
    const std::span<const layout::AddedToken> rows = tokenizer_.view().added;
    if (!uses_.resize(rows.size())) return Status::out_of_memory();
    special_ = CRAYON_SPECIAL_LISTED;  // until everything has succeeded
    text_chains_.restart();
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
    split_ = strips_ = words_ = false;
    bool has_late = false, has_early = false;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (uses_[i] == AddedUse::kNever) continue;
        split_ = true;
        strips_ = strips_ || includes_spaces(rows[i], special);
        words_ = words_ || (rows[i].flags & layout::kSingleWord);
        (rows[i].flags & layout::kNormalized ? has_late : has_early) = true;
    }
    has_stages_ = has_late && has_early;
    Status status = set_stages(has_early, has_late);
    if (status.ok()) special_ = special;
    return status;
}

// Reads one piece or added token after the other, and gives all of its ids its own start and end.
Status Encoder::read_pieces(u32* ids, u32* offsets, u32 capacity, Read* read) {
    while (!read->more) {
        if (!overflowing_) piece_ = position();  // otherwise the next ids are of the piece that did not fit
        stop_at(piece_ + 1);
        Read piece;
        if (Status status = run(ids + read->count, capacity - read->count, &piece); !status.ok()) return status;
        if (piece.count == 0 && !piece.more) break;
        if (position() > kMaxOffset) return {CRAYON_TEXT_TOO_LONG};
        const u32 both[2] = {static_cast<u32>(piece_), static_cast<u32>(position())};
        for (u32 i = read->count; i < read->count + piece.count; ++i) std::memcpy(offsets + 2 * i, both, sizeof both);
        read->count += piece.count;
        read->more = piece.more;
    }
    stop_at(kNowhere);
    replace_unknown(ids, read->count);
    return {};
}

}  // namespace crayon
