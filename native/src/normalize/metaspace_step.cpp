#include "normalize/metaspace_step.h"

#include <algorithm>

#include "base/integers.h"
#include "base/least_heap.h"
#include "base/whitespace.h"
#include "normalize/unicode_forms.h"

namespace crayon {

Status MetaspaceStep::create(u32 flags, std::string_view replacement, std::string_view tokens) {
    u32 size;
    flags_ = flags;
    mark_ = code_at(replacement, 0, &size);
    has_tokens_ = !tokens.empty();
    if (!has_tokens_) return {};
    const u8* const data = reinterpret_cast<const u8*>(tokens.data());
    tokens_ = Symbols(data);
    const u32 count = load_u32(data);
    const char* const texts = tokens.data() + sizeof(u32) * (1 + size_t{count});
    for (u32 i = 0, begin = 0; i < count; ++i) {
        const u32 end = load_u32(data + sizeof(u32) * (1 + i));
        u32 length, code = 0;
        for (; begin < end; begin += length) {
            code = code_at({texts, end}, begin, &length);
            if (!token_characters_.push_back(code)) return Status::out_of_memory();
        }
        if (!token_ends_.push_back(code)) return Status::out_of_memory();
    }
    const auto precedes = [](u32 one, u32 other) { return one < other; };
    heap_sort(token_characters_.begin(), token_characters_.end(), precedes);
    heap_sort(token_ends_.begin(), token_ends_.end(), precedes);
    return {};
}

bool MetaspaceStep::drops(u32 code) const { return (flags_ & layout::kDropsWhitespace) && is_whitespace(code); }

bool MetaspaceStep::is_in_token(u32 code) const {
    if (knows_special() && is_whitespace(code)) return true;
    return std::binary_search(token_characters_.begin(), token_characters_.end(), code);
}

bool MetaspaceStep::ends_token(u32 code) const { return std::binary_search(token_ends_.begin(), token_ends_.end(), code); }

// Behind a token a segment begins, and before one there is nothing to mark.
Status MetaspaceStep::run(u32 edges, Normalizer::Scratch& scratch) const {
    const bool always = (flags_ & layout::kPrependsAlways) != 0, only_first = (flags_ & layout::kPrependsFirst) != 0;
    const bool drops = (flags_ & layout::kDropsWhitespace) != 0;
    scratch.spare.clear();
    bool begins_word = (edges & kOpensSegment) != 0;
    bool is_first = (edges & kOpensText) != 0;
    if (has_tokens_ && !put_characters(scratch.text, &scratch.step_bytes)) return Status::out_of_memory();
    constexpr size_t kNone = ~size_t{0};
    size_t at_byte = 0, token_end = 0;
    size_t before = kNone;  // the length of the result before the whitespace that has just been passed
    u32 before_source = 0;  // where that comes from
    for (StepCharacter each : scratch.text) {
        if (has_tokens_) {
            const size_t begin = at_byte;
            u8 bytes[4];
            at_byte += put_character(each.code, bytes);
            if (begin >= token_end && (scratch.finds_special || !knows_special())) {
                token_end = begin + tokens_.find(scratch.step_bytes.data() + begin, scratch.step_bytes.size() - begin).length;
                if (begin < token_end && knows_special() && before != kNone) scratch.spare.truncate(before);
            }
            if (begin < token_end) {
                StepCharacter copy = each;
                if (knows_special() && before != kNone) copy.source = before_source;
                before = kNone;
                if (!scratch.spare.push_back(copy)) return Status::out_of_memory();
                begins_word = true;
                is_first = false;
                if (at_byte < token_end || !knows_special()) continue;
                // Also of one character, which stands for whitespace before it.
                const u32 last = static_cast<u32>(scratch.spare.size() - 1);
                if (!scratch.extended.push_back({last, each.source})) return Status::out_of_memory();
                continue;
            }
            if (!is_whitespace(each.code)) {
                before = kNone;
            } else if (before == kNone) {
                before = scratch.spare.size();
                before_source = each.source;
            }
        }
        if (drops && is_whitespace(each.code)) {
            begins_word = true;
            is_first = false;
            continue;
        }
        if (!drops && each.code == ' ') each.code = mark_;
        // The first of the text itself: what a step has taken out before it counts, too.
        if (begins_word && each.code != mark_ && (always || (only_first && is_first && each.source == 0))) {
            if (!scratch.spare.push_back({mark_, each.source})) return Status::out_of_memory();
        }
        begins_word = is_first = false;
        if (!scratch.spare.push_back(each)) return Status::out_of_memory();
    }
    scratch.text.swap(scratch.spare);
    return {};
}

}  // namespace crayon
