#include "general/normalizers.h"

#include <algorithm>
#include <new>

#include "normalize/charsmap.h"
#include "normalize/graphemes.h"

namespace crayon::general {

Matchers::~Matchers() {
    for (Regex* const each : regexes_) delete each;
}

Status Matchers::create(const Definition& definition) {
    const u32 count = definition.head().step_count;
    first_ = definition.normalizers().data();
    if (!regexes_.assign(count, nullptr)) return Status::out_of_memory();
    for (u32 i = 0; i < count; ++i) {
        if (first_[i].kind == layout::kSentencePieceNormalizer) {
            const std::span<const u8> program = definition.rows<u8>(first_[i].first);
            const Status status = sentence_piece_.create(reinterpret_cast<const layout::NormalizerProgram*>(program.data()));
            if (!status.ok()) return status;
        }
        const bool has_pattern = first_[i].kind == layout::kSplit || first_[i].kind == layout::kReplace;
        if (!has_pattern || (first_[i].flags & layout::kIsRegex) == 0) continue;
        const std::span<const u8> program = definition.rows<u8>(first_[i].first);
        regexes_[i] = new (std::nothrow) Regex(reinterpret_cast<const u32*>(program.data()));
        if (!regexes_[i]) return Status::out_of_memory();
    }
    return {};
}

Status find_pattern(const Definition& definition, const layout::GeneralStep& step, const NormalizedString& string,
                    Matchers& matchers, PatternRanges* out) {
    if (step.flags & layout::kIsRegex) return find_regex(string, matchers.of(step), out);
    return find_text(string, definition.text(step.first), out);
}

// Each character of the content is put in behind the match, and comes from where the last character of the match does. What an
// empty match at the beginning of the text becomes comes from nowhere.
Status replace(const PatternRanges& matches, std::string_view content, Normalizing& string) {
    const NormalizedString from = string.get();
    NormalizedText& to = string.next();
    to.clear();
    for (const PatternRange& each : matches) {
        if (each.begin > each.end) return refused(from.original.begin);  // \K in a lookbehind
        if (!each.is_match) {
            if (Status status = to.append(from.bytes + each.begin, from.alignments + each.begin, each.end - each.begin);
                !status.ok())
                return status;
            continue;
        }
        const Alignment align = each.end == 0 ? Alignment::of(from.original.begin, 0) : from.alignments[each.end - 1];
        for (const char byte : content) {
            if (Status status = to.append(reinterpret_cast<const u8*>(&byte), &align, 1); !status.ok()) return status;
        }
    }
    string.become(to);
    return {};
}

Status byte_level(Normalizing& string) {
    return string.transform(0, [&](Transformation& to) {
        const NormalizedString& from = string.get();
        each_character(from, [&](u32, u32 begin, u32 end) {
            for (u32 at = begin; at < end; ++at) to.put(crayon::byte_level(from.bytes[at]), at > begin);
        });
    });
}

namespace {

Status bert(u32 flags, Normalizing& string) {
    if (flags & layout::kCleansText) {
        if (Status status = string.filter([](u32 code) { return !is_cleaned_away(code); }); !status.ok()) return status;
        const Status status = string.map([](u32 code) { return is_cleaned_to_space(code) ? ' ' : code; });
        if (!status.ok()) return status;
    }
    if ((flags & layout::kHandlesChinese) && !string.keeps_all([](u32 code) { return !is_ideograph(code); })) {
        const Status status = string.transform(0, [&](Transformation& to) {
            each_character(string.get(), [&](u32 code, u32, u32) {
                if (!is_ideograph(code)) return to.put(code, 0);
                to.put(' ', 0);
                to.put(code, 1);
                to.put(' ', 1);
            });
        });
        if (!status.ok()) return status;
    }
    if (flags & layout::kStripsBertAccents) {
        if (Status status = string.form(UnicodeForm::kNfd); !status.ok()) return status;
        if (Status status = string.filter([](u32 code) { return !is_nonspacing(code); }); !status.ok()) return status;
    }
    return flags & layout::kLowercasesBert ? string.lowercase() : Status{};
}

// The reference looks up a grapheme of fewer than 6 bytes whole, and else its characters. It takes the shortest text of the map
// that one begins with, and the rest of it is lost: "ﬃ́" loses its accent. Nothing is done to a text in which nothing is found.
class Precompiled {
public:
    Precompiled(std::string_view charsmap, Normalizing& string)
        : map_(reinterpret_cast<const u8*>(charsmap.data()), charsmap.size()), string_(string) {}

    Status normalize() {
        bool is_found = false;
        Status status = each_part([&](const u8*, u32, u32, const u8* found, size_t) { is_found |= found != nullptr; });
        if (!status.ok() || !is_found) return status;
        const Status transformed = string_.transform(0, [&](Transformation& to) {
            Pending pending{to};
            status = each_part([&](const u8* part, u32 characters, u32, const u8* found, size_t length) {
                put(part, characters, found, length, pending);
            });
            pending.flush();
        });
        return status.ok() ? transformed : status;
    }

private:
    // The last change waits: one that becomes shorter, or nothing, adds to it what it leaves out.
    struct Pending {
        Transformation& to;
        u32 code = 0;
        int change = 0;
        bool is_any = false;
        void put(u32 next, int how) {
            flush();
            code = next;
            change = how;
            is_any = true;
        }
        void flush() {
            if (is_any) to.put(code, change);
            is_any = false;
        }
    };

    // Of what becomes longer, the last characters are those put in, whatever they stand for.
    static void put(const u8* part, u32 characters, const u8* found, size_t length, Pending& pending) {
        if (!found) return pending.put(character_at(part).code_point, 0);
        u32 count = 0;
        for (size_t at = 0; at < length; ++count) {
            const Character c = character_in(found, at, length);
            pending.put(c.code_point, count >= characters ? 1 : 0);
            at += c.length;
        }
        // What becomes nothing at the beginning of a text is left out of no character, and so replaces the next one.
        if (count < characters && pending.is_any) pending.change -= static_cast<int>(characters - count);
    }

    // `visit(part, characters, bytes, found, length)` for each part that is looked up, with what replaces it, or nullptr.
    template <class Visit>
    Status each_part(Visit visit) {
        const NormalizedString& string = string_.get();
        constexpr u32 kGraphemeBytes = 6;
        StepText characters;
        u32 begin = 0;
        Status status;
        const auto flush = [&] {
            const Graphemes graphemes(characters);
            const u8* part = string.bytes + begin;
            for (size_t first = 0, end; first < characters.size(); first = end) {
                // Nothing joins what is before it or behind it in ASCII, but a line feed.
                const auto is_plain = [&](size_t at) { return characters[at].code - 0x20 < 0x5F; };
                const bool is_alone = is_plain(first) && (first + 1 == characters.size() || is_plain(first + 1));
                end = is_alone ? first + 1 : graphemes.end_of(first);
                u32 bytes = 0;
                for (size_t i = first; i < end; ++i) bytes += characters[i].source;
                const u8* found = nullptr;
                size_t length = 0;
                if (is_alone && ascii_[*part] == kStays) {
                    visit(part++, 1u, 1u, nullptr, 0);
                    continue;
                }
                if (bytes < kGraphemeBytes && map_.find(part, bytes, &found, &length)) {
                    visit(part, static_cast<u32>(end - first), bytes, found, length);
                    part += bytes;
                    continue;
                }
                for (size_t i = first; i < end; ++i) {
                    const u32 size = characters[i].source;
                    found = nullptr;
                    if (!map_.find(part, size, &found, &length)) found = nullptr;
                    if (!found && *part < 0x80) ascii_[*part] = kStays;
                    visit(part, 1u, size, found, length);
                    part += size;
                }
            }
            characters.clear();
        };
        // Graphemes end between two characters of which neither joins others.
        bool joined = true;
        each_character(string, [&](u32 code, u32 at, u32 end) {
            const bool joins = joins_graphemes(code);
            if (!joins && !joined && characters.size() >= 256) {
                flush();
                begin = at;
            }
            joined = joins;
            if (!characters.push_back({code, end - at})) status = Status::out_of_memory();
        });
        if (!status.ok()) return status;
        flush();
        return {};
    }

    const Charsmap map_;
    static constexpr u8 kStays = 1;
    u8 ascii_[128] = {};  // characters that are known to stay
    Normalizing& string_;
};

// What sentencepiece makes of a text that nothing has been done to. An alignment holds at most 7 bytes: of a longer origin the
// first byte of a character has the beginning, and the others the end.
Status sentence_piece(const SentencePiece& normalizer, Normalizing& string) {
    constexpr u32 kEdges = kOpensSegment | kOpensText | kEndsSegment, kMostWidth = 7;
    const NormalizedString from = string.get();
    Normalizer::Scratch scratch;
    bool changed = false;
    Status status = from.empty() ? Status{} : normalizer.rewrite(from.bytes, 0, from.length, kEdges, scratch, &changed);
    if (!status.ok() || !changed) return status;
    NormalizedText& to = string.next();
    to.clear();
    u32 at = 0;
    for (const Rewritten& each : scratch.characters) {
        const u32 begin = from.original.begin + each.raw_begin, end = from.original.begin + each.raw_end;
        const u32 width = std::min(end - begin, kMostWidth);
        Alignment aligned[4] = {Alignment::of(begin, width)};
        std::fill(aligned + 1, aligned + 4, Alignment::of(end - width, width));
        status = to.append(scratch.bytes.data() + at, aligned, each.end - at);
        if (!status.ok()) return status;
        at = each.end;
    }
    string.become(to);
    return {};
}

}  // namespace

Status normalize(const Definition& definition, const layout::GeneralStep& step, Matchers& matchers, Normalizing& string,
                 PatternRanges* scratch) {
    const std::string_view first = definition.text(step.first);
    switch (step.kind) {
        case layout::kBertNormalizer:
            return bert(step.flags, string);
        case layout::kStripAccents:
            return string.filter([](u32 code) { return !is_combining(code); });
        case layout::kStrip:
            return string.strip((step.flags & layout::kStripsLeft) != 0, (step.flags & layout::kStripsRight) != 0);
        case layout::kFormC:
            return string.form(UnicodeForm::kNfc);
        case layout::kFormD:
            return string.form(UnicodeForm::kNfd);
        case layout::kFormKC:
            return string.form(UnicodeForm::kNfkc);
        case layout::kFormKD:
            return string.form(UnicodeForm::kNfkd);
        case layout::kLowercaseNormalizer:
            return string.lowercase();
        case layout::kReplace: {
            const Status status = find_pattern(definition, step, string.get(), matchers, scratch);
            return status.ok() ? replace(*scratch, definition.text(step.second), string) : status;
        }
        case layout::kPrependText:
            return string.prepend(reinterpret_cast<const u8*>(first.data()), static_cast<u32>(first.size()));
        case layout::kPrecompiled:
            return Precompiled(first, string).normalize();
        case layout::kByteLevelNormalizer:
            return byte_level(string);
        case layout::kSentencePieceNormalizer:
            return sentence_piece(matchers.sentence_piece(), string);
        case layout::kNmt: {
            const Status status = string.filter([](u32 code) { return !is_nmt_removed(code); });
            return status.ok() ? string.map([](u32 code) { return is_nmt_space(code) ? ' ' : code; }) : status;
        }
    }
    return {};
}

}  // namespace crayon::general
