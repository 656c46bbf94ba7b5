#include "encode/normalizing.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/utf8.h"

namespace crayon {

namespace {

// Shorter ones are not worth it.
constexpr size_t kLeastRun = 16;
static_assert(kScanPadding >= Normalizer::kRunSlack);

}  // namespace

Normalizing::Normalizing(const Tokenizer& tokenizer, const AddedPolicy& policy)
    : tokenizer_(tokenizer),
      normalizer_(tokenizer.normalizer()),
      is_late_raw_(!normalizer_ || normalizer_->follows_tokens()),
      policy_(policy),
      early_(policy),
      late_(policy) {}

Status Normalizing::create(const Tokenizer& tokenizer, const AddedPolicy& policy, Normalizing** out) {
    *out = new (std::nothrow) Normalizing(tokenizer, policy);
    return *out ? Status{} : Status::out_of_memory();
}

void Normalizing::use_policy() {
    // In raw text, if all tokens are late, they can be searched for early.
    const bool is_late = policy_.has_late() && (policy_.has_early() || !is_late_raw_);
    const AddedSearch::Allowance raw = policy_.allowance();
    early_.set(tokenizer_.added(), policy_.early_uses(), raw, policy_.has_early() || !is_late);
    late_.set(tokenizer_.added(), policy_.late_uses(), is_late_raw_ ? raw : AddedSearch::Allowance{allows_late, this}, is_late);
    late_special_ = policy_.late_special();
}

// Positions after the normalizer: a position within a rewritten range stands for its whole raw text.
bool Normalizing::allows_late(const void* normalizing, u64 begin, u64 end) {
    const Normalizing& self = *static_cast<const Normalizing*>(normalizing);
    return self.policy_.allows(self.rewrites_.raw(begin), self.rewrites_.raw_end(end));
}

void Normalizing::restart(u64 origin, bool opens_segment) {
    early_.restart();
    late_.restart();
    rewrites_.restart();
    is_apart_ = keeps_spaces_ = keeps_words_ = false;
    range_searched_ = 0;
    opens_segment_ = opens_text_ = opens_segment;
    marks_.clear();
    mark_ = 0;
    settled_ = origin;
    unsettled_ = 0;
    raw_offsets_.restart();
}

// Goes from one added token of the raw text to the next, then up to where another may follow.
Status Normalizing::make_ready(FedText& text) {
    size_t at = text.ready();
    const size_t end = raw_end_ = at + text.raw();
    raw_origin_ = rewrites_.raw(text.position(at)) - at;
    for (;;) {
        const AddedStage::Hit hit = early_.find({raw_bytes(text), raw_origin_, at, end, text.is_last()});
        // If there is no token, one may begin at hit.begin.
        const bool is_whole = hit.token || text.is_last();
        Status status = is_late_raw_ ? divide(text, &at, hit.begin, is_whole) : normalize(text, &at, hit.begin, is_whole);
        if (!status.ok()) return status;
        if (!hit.token) break;
        if (status = append_token(text, hit); !status.ok()) return status;
        at = hit.end;
        range_searched_ = 0;
        early_.begin_text();
        late_.begin_text();
    }
    if (is_apart_) {
        if (Status status = text.put_back_raw(apart_.data() + at, end - at); !status.ok()) return status;
        is_apart_ = false;
    }
    text.pad();
    return {};
}

// The text from `at` to `end` has no early tokens; nothing follows it if `last`. Makes it ready up to each late token, and
// up to where one may begin. Moves `at` to where it stopped.
Status Normalizing::divide(FedText& text, size_t* at, size_t end, bool last) {
    for (;;) {
        const AddedStage::Hit hit = late_.find({raw_bytes(text), raw_origin_, *at, end, last});
        const bool is_whole = hit.token || last;
        size_t from = *at;
        if (normalizer_) {
            if (Status status = normalize(text, at, hit.begin, is_whole); !status.ok()) return status;
            late_.drop(*at - from);
            if (!hit.token) return {};
            from = *at;
            range_searched_ = 0;
        } else {
            if (Status status = append(text, raw_bytes(text) + *at, hit.begin - *at); !status.ok()) return status;
        }
        *at = hit.token ? hit.end : hit.begin;
        early_.drop(*at - from);
        late_.drop(*at - from);
        if (!hit.token) return {};
        if (Status status = append_token(text, hit); !status.ok()) return status;
        late_.begin_text();
    }
}

// Makes an added token ready, without the whitespace around it.
Status Normalizing::append_token(FedText& text, const AddedStage::Hit& hit) {
    const u32 length = hit.token->length;
    opens_segment_ = true;
    opens_text_ = false;
    if (!marks_.push_back({text.position(text.ready()), hit.token})) return Status::out_of_memory();
    if (hit.end - hit.begin != length) {
        if (Status status = set_apart(text, hit.begin); !status.ok()) return status;
        const u8* const raw = raw_bytes(text);
        const u32 bytes = static_cast<u32>(hit.end - hit.begin);
        u32 units = 0;
        for (size_t i = hit.begin; i < hit.end; ++i) units += !is_continuation(raw[i]) ? 1 + (raw[i] >= 0xF0) : 0;
        scratch_.characters.clear();
        if (!scratch_.characters.push_back({length, 0, bytes, 0, units}) ||
            !rewrites_.add(text.position(text.ready()), bytes, units, scratch_.characters)) {
            return Status::out_of_memory();
        }
    }
    return append(text, raw_bytes(text) + hit.position, length);
}

// Normalizes the text from `at`, the start of a range, to `end`, where the last range ends if `last`. Moves `at` to
// where it stopped.
Status Normalizing::normalize(FedText& text, size_t* at, size_t end, bool last) {
    if (keeps_words_ && *at < end) {
        if (Status status = append(text, raw_bytes(text) + *at, end - *at); !status.ok()) return status;
        early_.drop(end - *at);
        *at = end;
        opens_segment_ = opens_text_ = false;
        return {};
    }
    while (*at < end) {
        const size_t from = *at;
        if (range_searched_ == 0 && !opens_segment_ && keeps_spaces_) {
            *at = normalizer_->kept_up_to(raw_bytes(text), from, end);
            if (Status status = append(text, raw_bytes(text) + from, *at - from); !status.ok()) return status;
        } else if (range_searched_ == 0 && !opens_segment_) {
            if (Status status = take_run(text, at, end); !status.ok()) return status;
        }
        const u8* const raw = raw_bytes(text);
        const Normalizer::Checked checked = normalizer_->check(raw, *at, *at + range_searched_, end, last, edges());
        if (Status status = append(text, raw + *at, checked.normal - *at); !status.ok()) return status;
        if (checked.normal > *at) opens_segment_ = opens_text_ = false;
        *at = checked.normal;
        range_searched_ = checked.searched > checked.normal ? checked.searched - checked.normal : 0;
        if (checked.end > checked.normal) {
            const u32 around = edges() | (last && checked.end == end ? u32{kEndsSegment} : 0);
            if (Status status = rewrite(text, checked.normal, checked.end, around); !status.ok()) return status;
            opens_segment_ = opens_text_ = false;
            *at = checked.end;
            range_searched_ = 0;
        }
        early_.drop(*at - from);
        if (checked.end == checked.normal) break;
    }
    return {};
}

// Makes a run of ranges ready that the normalizer rewrites at once, if there is one. Moves `at` to where it stopped.
Status Normalizing::take_run(FedText& text, size_t* at, size_t end) {
    const size_t begin = *at;
    const Normalizer::Run run = normalizer_->run(raw_bytes(text), begin, end);
    if (run.end - begin < kLeastRun) return {};
    *at = run.end;
    if (run.stays) return append(text, raw_bytes(text) + begin, run.end - begin);
    if (Status status = set_apart(text, begin); !status.ok()) return status;
    const u64 position = text.position(text.ready());
    Normalizer::Target to = {nullptr, position, rewrites_.raw(position), &rewrites_};
    if (Status status = text.append_ready(run.length, &to.bytes); !status.ok()) return status;
    return normalizer_->rewrite_run(apart_.data(), begin, run.end, to) ? Status{} : Status::out_of_memory();
}

// Tells the normalizer whether a range of the raw text may have special tokens.
void Normalizing::know_special(size_t begin, size_t end) {
    const bool finds = late_special_ == AddedUse::kAlways ||
                       (late_special_ == AddedUse::kControl && policy_.allows(raw_origin_ + begin, raw_origin_ + end));
    if (finds == scratch_.finds_special) return;
    scratch_.finds_special = finds;
    scratch_.remembered.clear();
}

// Makes a range ready in rewritten form.
Status Normalizing::rewrite(FedText& text, size_t begin, size_t end, u32 edges) {
    bool changed = false;
    if (normalizer_->knows_special()) know_special(begin, end);
    if (Status status = normalizer_->rewrite(raw_bytes(text), begin, end, edges, scratch_, &changed); !status.ok()) return status;
    if (!changed) return append(text, raw_bytes(text) + begin, end - begin);
    if (Status status = set_apart(text, begin); !status.ok()) return status;
    const bool opens = (edges & kOpensSegment) && normalizer_->depends_on_edges();
    // Replacing a character with one of the same length moves nothing, such as lowercasing a letter.
    const bool moves = opens || scratch_.characters.size() != 1 || scratch_.bytes.size() != end - begin ||
                       scratch_.characters[0].raw_end - scratch_.characters[0].raw_begin != end - begin;
    if (moves && !rewrites_.add(text.position(text.ready()), end - begin, scratch_.units, scratch_.characters, opens))
        return Status::out_of_memory();
    return append(text, scratch_.bytes.data(), scratch_.bytes.size());
}

// Makes the next bytes ready: the raw text itself or, once it is kept apart, a copy.
Status Normalizing::append(FedText& text, const u8* bytes, size_t length) {
    if (is_apart_) return text.append_ready(bytes, length);
    text.make_ready(length);
    return {};
}

// Moves the raw text from `begin` on to a separate buffer, at the same indices.
Status Normalizing::set_apart(FedText& text, size_t begin) {
    if (is_apart_) return {};
    const size_t size = raw_end_ + kScanPadding;
    if (!apart_.resize(size)) return Status::out_of_memory();
    std::memcpy(apart_.data() + begin, text.bytes() + begin, size - begin);
    text.take_raw();
    is_apart_ = true;
    return {};
}

Status Normalizing::find_added(const FedText& text, size_t from, AddedSearch::Found* found) {
    const bool is_marked = mark_ < marks_.size();
    const size_t end = is_marked ? static_cast<size_t>(marks_[mark_].position - text.origin()) : text.ready();
    *found = {end, nullptr};
    if (late_.is_used() && !is_late_raw_) {
        const AddedSearch::Text searched = {text.bytes(), text.origin(), from, end, is_marked || text.is_last()};
        *found = late_.find_once(searched);
    }
    if (found->token || !is_marked) return {};
    found->token = marks_[mark_++].token;
    if (mark_ == marks_.size()) {
        marks_.clear();
        mark_ = 0;
    }
    return {};
}

void Normalizing::settle(const FedText& text, bool is_whole, u64 ids) {
    const u64 position = text.position(text.encoded());
    if (is_whole && is_safe_split(text, position)) {
        settled_ = position;
        unsettled_ = 0;
    } else {
        unsettled_ += ids;
    }
}

// Whether the text from a position on is encoded as it is in the whole text (parallel/chain.h).
bool Normalizing::is_safe_split(const FedText& text, u64 position) const {
    if (rewrites_.is_inside(position)) return false;
    if (!depends_on_edges()) return true;
    if (position == text.position(text.ready()) && !text.is_last()) return false;  // not searched yet
    // Like the space in front after an added token.
    return !rewrites_.opens_at(position);
}

u32 Normalizing::up_to_safe_split(const FedText& text, const u32* ends, u32 count) const {
    if (rewrites_.empty()) return count;
    for (u32 i = count; i > 0; --i) {
        if (is_safe_split(text, text.position(ends[i - 1]))) return i;
    }
    return count;
}

u64 Normalizing::position() const { return rewrites_.raw(settled_); }
u64 Normalizing::raw_position(u64 position) const { return rewrites_.raw(position); }
u64 Normalizing::ready_position(u64 raw) const { return rewrites_.position_of(raw); }

void Normalizing::drop_settled() { rewrites_.drop_before(settled_); }

void Normalizing::begin_offsets(const FedText& text, const TokenOffsets& offsets) {
    if (raw_offsets_.has_begun()) return;
    const TokenOffsets::Reached reached = offsets.reached(text.bytes());
    raw_offsets_.begin(text.position(reached.token), text.position(reached.character), reached.before);
}

void Normalizing::skip_to(const FedText& text, const TokenOffsets& offsets, size_t at) {
    begin_offsets(text, offsets);
    raw_offsets_.skip_to(text.position(at));
}

Status Normalizing::locate(const FedText& text, bool in_units, const TokenOffsets& offsets, const u32* ids, u32 count,
                           u32* spans) {
    begin_offsets(text, offsets);
    const RawOffsets::Text where = {text.bytes(), text.ready(), text.encoded(), text.origin(), in_units, &rewrites_};
    for (u32 i = 0; i < count; ++i) {
        if (tokenizer_.begins_word(ids[i])) raw_offsets_.skip(tokenizer_.dropped(), where);
        const RawOffsets::Span span = raw_offsets_.next(where, tokenizer_.token_length(ids[i]));
        if (span.end > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
        spans[2 * i] = static_cast<u32>(span.begin);
        spans[2 * i + 1] = static_cast<u32>(span.end);
    }
    return {};
}

}  // namespace crayon
