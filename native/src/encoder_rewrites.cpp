// The part of the encoder that rewrites text before it is encoded: by a normalizer, around added tokens that include
// whitespace, and where a space is put in front. A module without it is one for vocabularies that need neither (absent/).
#include <algorithm>
#include <cstring>

#include "encoder.h"
#include "scan/spaces.h"

namespace crayon {

namespace {

// Where the last character of text[begin, end) begins if it may be whitespace that goes on at `end`; else `end`.
size_t whole_end(const u8* text, size_t begin, size_t end) {
    if (end - begin >= 1 && text[end - 1] >= 0xC2) return end - 1;
    if (end - begin >= 2 && text[end - 2] >= 0xE0 && (text[end - 1] & 0xC0) == 0x80) return end - 2;
    return end;
}

}  // namespace

void Encoder::Stage::restart() {
    search.restart();
    words.restart();
    begin_text();
}

// Makes as much of the text ready as no further text can change: up to each added token of the raw text, then up to where
// more may follow.
Status Encoder::normalize() {
    size_t at = size_;
    const size_t end = raw_end_ = size_ + unready_;
    raw_begin_ = rewrites_.raw(offset_ + size_) - size_;
    for (;;) {
        Stripped hit = {end, end, end, nullptr};
        if (early_.is_used) {
            if (Status status = find_unready(early_, at, end, last_, &hit); !status.ok()) return status;
        }
        // Without a token, one may begin at hit.begin.
        const bool is_whole = hit.token || last_;
        Status status = tokenizer_.nfc() ? normalize_to(&at, hit.begin, is_whole) : divide(&at, hit.begin, is_whole);
        if (!status.ok()) return status;
        if (!hit.token) break;
        if (status = append_token(hit); !status.ok()) return status;
        at = hit.end;
        stretch_searched_ = 0;
        early_.begin_text();
        late_.begin_text();
        if (!tokenizer_.nfc()) late_.words.end_piece();
    }
    unready_ = end - at;
    if (is_apart_) {
        if (!text_.reserve(size_ + unready_ + kScanPadding)) return Status::out_of_memory();
        std::memcpy(text_.data() + size_, raw_.data() + at, unready_);
        is_apart_ = false;
    }
    std::memset(text_.data() + size_ + unready_, 0, kScanPadding);
    return {};
}

// The text from `at` up to `end` has none of the first tokens; nothing more belongs to it if it is `last`. It becomes ready up to
// each of the others, and up to where one of them may be. Sets `at` to where it has come.
Status Encoder::divide(size_t* at, size_t end, bool last) {
    for (;;) {
        Stripped hit = {end, end, end, nullptr};
        if (late_.is_used) {
            if (Status status = find_unready(late_, *at, end, last, &hit); !status.ok()) return status;
        }
        const size_t from = *at;
        bool waits = false;
        if (from < hit.begin) {
            if (Status status = put_space(at, hit.begin, hit.token || last, &waits); !status.ok()) return status;
        }
        if (waits) return {};
        if (Status status = append(unready() + *at, hit.begin - *at); !status.ok()) return status;
        *at = hit.token ? hit.end : hit.begin;
        early_.searched -= std::min(early_.searched, *at - from);
        late_.searched -= std::min(late_.searched, *at - from);
        if (!hit.token) return {};
        if (Status status = append_token(hit); !status.ok()) return status;
        late_.begin_text();
    }
}

// The whitespace that belongs to an added token of the unready text from `at` on, of which stage.spaces_before bytes before what
// has been searched are known. While more text may follow, whitespace waits: it is as if there were no token yet.
Encoder::Stripped Encoder::strip(Stage& stage, const AddedSearch::Found& found, size_t at, size_t end, bool last) {
    Stripped hit = {found.position, found.position, found.position, found.token};
    if (hit.token) hit.end += hit.token->length;
    if (!strips_) return hit;
    const u8* const text = unready();
    const size_t from = at + stage.searched;
    if (hit.token && includes_spaces(*hit.token, special_) && (hit.token->flags & layout::kRstrip)) {
        bool is_open = false;
        const size_t after = std::min(end, pass_spaces(text, hit.end + stage.spaces_after, end, &is_open));
        if (is_open && !last) {
            stage.spaces_after = after - hit.end;
            hit.token = nullptr;
        }
        hit.end = after;
    } else if (!hit.token && !last) {
        // The search may have come to the middle of a character.
        hit.position = std::max(from, whole_end(text, at, hit.position));
        hit.begin = hit.position;
    }
    if (hit.token ? includes_spaces(*hit.token, special_) && (hit.token->flags & layout::kLstrip) : !last) {
        hit.begin = pass_spaces_back(text, from, hit.position);
        if (hit.begin == from) hit.begin = from - std::min(stage.spaces_before, from - at);
    }
    if (!hit.token) stage.spaces_before = hit.position - hit.begin;
    return hit;
}

// An added token becomes ready, without the whitespace around it.
Status Encoder::append_token(const Stripped& hit) {
    const u32 length = hit.token->length;
    opens_segment_ = true;
    if (!marks_.push_back({offset_ + size_, hit.token})) return Status::out_of_memory();
    if (hit.end - hit.begin != length) {
        if (Status status = set_apart(hit.begin); !status.ok()) return status;
        const u32 bytes = static_cast<u32>(hit.end - hit.begin);
        u32 units = 0;
        for (size_t i = hit.begin; i < hit.end; ++i) units += (unready()[i] & 0xC0) != 0x80 ? 1 + (unready()[i] >= 0xF0) : 0;
        rewritten_.characters.clear();
        if (!rewritten_.characters.push_back({length, 0, bytes, 0, units}) ||
            !rewrites_.add(offset_ + size_, bytes, units, rewritten_.characters)) {
            return Status::out_of_memory();
        }
    }
    return append(unready() + hit.position, length);
}

// Normalizes the unready text from `at`, where a stretch begins, to `end`, where the last one ends if it is `last`. Sets `at`
// to where it has come.
Status Encoder::normalize_to(size_t* at, size_t end, bool last) {
    while (*at < end) {
        const size_t from = *at;
        const Nfc::Checked checked = tokenizer_.nfc()->check(unready(), from, from + stretch_searched_, end, last);
        if (Status status = append(unready() + from, checked.normal - from); !status.ok()) return status;
        *at = checked.normal;
        stretch_searched_ = checked.searched > checked.normal ? checked.searched - checked.normal : 0;
        if (checked.end > checked.normal) {
            if (Status status = rewrite(checked.normal, checked.end); !status.ok()) return status;
            *at = checked.end;
            stretch_searched_ = 0;
        }
        early_.searched -= std::min(early_.searched, *at - from);
        if (checked.end == checked.normal) break;
    }
    return {};
}

// Puts a space in front of the unready text from `at` on, if it opens a segment that needs one: the first character becomes two, and
// `at` is behind it. `waits`: it may go on behind `end`.
Status Encoder::put_space(size_t* at, size_t end, bool last, bool* waits) {
    if (!opens_segment_ || !tokenizer_.puts_space_first()) return {};
    const u8* const text = unready() + *at;
    const u8 first = text[0];
    if (first != ' ') {
        const size_t room = end - *at, whole = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1;
        size_t length = 1;
        while (length < std::min(whole, room) && (text[length] & 0xC0) == 0x80) ++length;
        *waits = length == room && length < whole && !last;
        if (*waits) return {};
        if (Status status = set_apart(*at); !status.ok()) return status;
        const u32 bytes = static_cast<u32>(length), units = length == 4 ? 2 : 1;
        rewritten_.characters.clear();
        if (!rewritten_.characters.push_back({1, 0, bytes, 0, units}) ||
            !rewritten_.characters.push_back({1 + bytes, 0, bytes, 0, units}) ||
            !rewrites_.add(offset_ + size_, bytes, units, rewritten_.characters)) {
            return Status::out_of_memory();
        }
        const u8 space = ' ';
        if (Status status = append(&space, 1); !status.ok()) return status;
        if (Status status = append(unready() + *at, length); !status.ok()) return status;
        *at += length;
    }
    opens_segment_ = false;
    return {};
}

// Unready text becomes ready as it is.
Status Encoder::append(const u8* bytes, size_t length) {
    if (is_apart_ && length) {
        if (length > kMaxText - size_) return {CRAYON_TEXT_TOO_LONG};
        const size_t needed = size_ + length + kScanPadding;
        if (needed > text_.capacity() && !text_.reserve(std::max(needed, 2 * text_.capacity()))) {
            return Status::out_of_memory();
        }
        std::memcpy(text_.data() + size_, bytes, length);
    }
    size_ += length;
    return {};
}

// Keeps the unready text from `begin` on apart, with the places that it has in text_.
Status Encoder::set_apart(size_t begin) {
    if (is_apart_) return {};
    const size_t size = raw_end_ + kScanPadding;
    if (!raw_.resize(size)) return Status::out_of_memory();
    std::memcpy(raw_.data() + begin, text_.data() + begin, size - begin);
    is_apart_ = true;
    return {};
}

// A stretch of the unready text becomes ready in another form. From the first one on, the rest is kept apart.
Status Encoder::rewrite(size_t begin, size_t end) {
    bool changed = false;
    if (Status status = tokenizer_.nfc()->rewrite(unready(), begin, end, rewritten_, &changed); !status.ok()) return status;
    if (!changed) return append(unready() + begin, end - begin);
    if (Status status = set_apart(begin); !status.ok()) return status;
    if (!rewrites_.add(offset_ + size_, end - begin, rewritten_.places.back().units, rewritten_.characters)) {
        return Status::out_of_memory();
    }
    return append(rewritten_.bytes.data(), rewritten_.bytes.size());
}

// `ids` more have been read.
void Encoder::settle(u64 ids) {
    const u64 place = offset_ + consumed_;
    if (overflowing_ || !is_stop(place)) {
        unsettled_ += ids;
    } else {
        settled_ = place;
        unsettled_ = 0;
    }
}

// As TokenOffsets::locate, from where that has come.
Status Encoder::locate_raw(u32 unit, const u32* ids, u32 count, u32* offsets) {
    if (!raw_offsets_.has_begun()) {
        const TokenOffsets::Reached reached = offsets_.reached(text_.data());
        raw_offsets_.begin(offset_ + reached.token, offset_ + reached.character, reached.before);
    }
    const RawOffsets::Text text = {text_.data(), size_, consumed_, offset_, unit == CRAYON_UNIT_UTF16, &rewrites_};
    for (u32 i = 0; i < count; ++i) {
        const RawOffsets::Span span = raw_offsets_.next(text, tokenizer_.token_length(ids[i]));
        if (span.end > kMaxOffset) return {CRAYON_TEXT_TOO_LONG};
        offsets[2 * i] = static_cast<u32>(span.begin);
        offsets[2 * i + 1] = static_cast<u32>(span.end);
    }
    return {};
}

}  // namespace crayon
