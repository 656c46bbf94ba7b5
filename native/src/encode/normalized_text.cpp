#include "encode/normalized_text.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "base/whitespace.h"
#include "encode/raw_words.h"
#include "scan/symbols.h"
#include "tokenizer.h"

namespace crayon {

namespace {

constexpr u64 kRawWindow = 32 * 1024;  // of raw text: what is copied fits in a cache, and each task has as much
constexpr u64 kLeastRawRun = 16;       // shorter ones are not worth it
static_assert(kScanPadding >= Normalizer::kRunSlack);

// The character that begins at `at`; nothing at or after `end` is read.
bool is_ideograph_at(const u8* bytes, u64 at, u64 end) {
    return BertPunctuationAndIdeographs::is_ideograph(character_in(bytes, at, end).code_point);
}

constexpr u32 kIllFormed = 0xFFFD;

// Whether a character ends or begins there, and is not U+FFFD, which stands for bytes that are none.
bool is_character_before(const u8* bytes, u64 begin, u64 at) {
    return bytes[at - 1] < 0x80 || character_before(bytes + begin, at - begin) != kIllFormed;
}
bool is_character_at(const u8* bytes, u64 at, u64 end) {
    return bytes[at] < 0x80 || character_in(bytes, at, end).code_point != kIllFormed;
}

}  // namespace

bool NormalizedText::is_possible(const Tokenizer& tokenizer) {
    const Normalizer* const normalizer = tokenizer.normalizer();
    return !normalizer || tokenizer.marks_spaces() || (!normalizer->depends_on_edges() && !normalizer->follows_tokens());
}

bool NormalizedText::is_needed(const Tokenizer& tokenizer) {
    return tokenizer.normalizer() && (tokenizer.marks_spaces() || tokenizer.model_kind() == layout::kWordPiece);
}

bool NormalizedText::divides_at(const Tokenizer& tokenizer, const u8* bytes, u64 begin, u64 at, u64 end) {
    if (tokenizer.model_kind() == layout::kWordPiece) return cuts_words_at(tokenizer, bytes, begin, at, end);
    if (!tokenizer.marks_spaces()) return true;
    return is_character_before(bytes, begin, at) && is_character_at(bytes, at, end);
}

bool NormalizedText::cuts_words_at(const Tokenizer& tokenizer, const u8* bytes, u64 begin, u64 at, u64 end) {
    const u8 before = bytes[at - 1], after = bytes[at];
    const bool is_space = after < 0x80 && before < 0x80 && is_whitespace(after) && !is_whitespace(before);
    const Normalizer* const normalizer = tokenizer.normalizer();
    if (!normalizer) return is_space;
    const RawWords* const words = tokenizer.raw_words();
    if (!words || tokenizer.view().pretokenizer != layout::kBert) return false;
    if (!is_space) {
        constexpr u64 kUsual = 3;  // bytes of an ideograph
        if (normalizer->words() != Normalizer::kOfBertAndIdeographs || at - begin < kUsual) return false;
        if (!is_ideograph_at(bytes, at - kUsual, at) || !is_ideograph_at(bytes, at, end)) return false;
    }
    u32 cut = static_cast<u32>(at - begin);
    return words->keep_cuts(bytes + begin, 0, end - begin, true, &cut, 1) == 1;
}

Status NormalizedText::append(const Tokenizer& tokenizer, const u8* text, u64 length, u32 edges, bool is_followed, u64* stays) {
    *stays = 0;
    if (!tokenizer.marks_spaces()) return append_words(tokenizer, text, length);
    // What follows is no part of a character that the text ends in.
    if (is_followed && length > 0 && is_character_before(text, 0, length))
        return append_marked(tokenizer, text, length, edges, stays);
    if (!raw_.resize(length + kScanPadding)) return Status::out_of_memory();
    std::memcpy(raw_.data(), text, length);
    std::memset(raw_.data() + length, 0, kScanPadding);
    return append_marked(tokenizer, raw_.data(), length, edges, stays);
}

// As encode/normalizing.h does it where spaces are kept.
Status NormalizedText::append_marked(const Tokenizer& tokenizer, const u8* text, u64 length, u32 edges, u64* stays) {
    const Normalizer& normalizer = *tokenizer.normalizer();
    for (u64 at = 0; at < length; edges = 0) {
        if (edges == 0) {
            const u64 unchanged_end = normalizer.kept_up_to(text, at, length);
            if (unchanged_end == length) {
                *stays = length - at;
                return {};
            }
            if (!bytes_.append(text + at, unchanged_end - at)) return Status::out_of_memory();
            at = unchanged_end;
        }
        const Normalizer::Checked checked = normalizer.check(text, at, at, length, true, edges);
        if (!bytes_.append(text + at, checked.normal - at)) return Status::out_of_memory();
        if (checked.normal > at) edges = 0;
        at = checked.normal;
        if (checked.end == checked.normal) break;
        const u32 around = edges | (checked.end == length ? u32{kEndsSegment} : 0);
        if (const Status status = rewrite(normalizer, text, at, checked.end, around); !status.ok()) return status;
        at = checked.end;
    }
    return {};
}

// Appends what a range becomes.
Status NormalizedText::rewrite(const Normalizer& normalizer, const u8* text, u64 begin, u64 end, u32 edges) {
    bool changed = false;
    const Status status = normalizer.rewrite(text, begin, end, edges, scratch_, &changed);
    if (!status.ok()) return status;
    const bool is_put =
        changed ? bytes_.append(scratch_.bytes.data(), scratch_.bytes.size()) : bytes_.append(text + begin, end - begin);
    return is_put ? Status() : Status::out_of_memory();
}

// As encode/normalizing.h does it. A range may go on past a window: then the next one begins with it.
Status NormalizedText::append_words(const Tokenizer& tokenizer, const u8* text, u64 length) {
    const Normalizer& normalizer = *tokenizer.normalizer();
    for (u64 from = 0, window = kRawWindow; from < length;) {
        const u64 size = std::min(length - from, window);
        const bool is_last = from + size == length;
        if (!raw_.resize(size + kScanPadding)) return Status::out_of_memory();
        u8* const raw = raw_.data();
        std::memcpy(raw, text + from, size);
        // Where text goes on, a character that it is cut in waits for the next window.
        std::memset(raw + size, 0, kScanPadding);
        u64 at = 0;
        while (at < size) {
            const Normalizer::Run run = normalizer.run(raw, at, size);
            if (run.end - at >= kLeastRawRun) {
                const u64 begin = at, before = bytes_.size();
                at = run.end;
                if (run.stays) {
                    if (!bytes_.append(raw + begin, at - begin)) return Status::out_of_memory();
                    continue;
                }
                if (!bytes_.resize(before + run.length + Normalizer::kRunSlack)) return Status::out_of_memory();
                rewrites_.restart();
                if (!normalizer.rewrite_run(raw, begin, at, {bytes_.data() + before, 0, 0, &rewrites_}))
                    return Status::out_of_memory();
                bytes_.truncate(before + run.length);
                continue;
            }
            const Normalizer::Checked checked = normalizer.check(raw, at, at, size, is_last, 0);
            if (!bytes_.append(raw + at, checked.normal - at)) return Status::out_of_memory();
            at = checked.normal;
            if (checked.end == checked.normal) break;
            if (const Status status = rewrite(normalizer, raw, at, checked.end, 0); !status.ok()) return status;
            at = checked.end;
        }
        from += at;
        window = at > 0 ? kRawWindow : 2 * window;
    }
    return {};
}

}  // namespace crayon
