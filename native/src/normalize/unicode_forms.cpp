#include "normalize/unicode_forms.h"

#include <algorithm>
#include <cstring>

#include "normalize/character_data.h"
#include "normalize/nfc_tables.h"

namespace crayon {

namespace {

bool is_in(const u32* ranges, u32 count, u32 code) { return character_data::row_of(ranges, count, 2, code) != nullptr; }

bool is_compatible(UnicodeForm form) { return form == UnicodeForm::kNfkc || form == UnicodeForm::kNfkd; }

}  // namespace

Status UnicodeForms::create() {
    using namespace character_data;
    if (Status status = tables_.unpack(); !status.ok()) return status;
    for (u32 at = 0; at < kDecompositionsCount;) {
        const u32 code = kDecompositions[at], count = kDecompositions[at + 1];
        Buffer<Row>& rows = count & kCompatible ? compatible_ : canonical_;
        if (!rows.push_back({code, at + 2, count & ~kCompatible})) return Status::out_of_memory();
        at += 2 + (count & ~kCompatible);
    }
    return {};
}

const UnicodeForms::Row* UnicodeForms::row_of(const Buffer<Row>& rows, u32 code) {
    const auto precedes = [](const Row& row, u32 wanted) { return row.code < wanted; };
    const Row* const row = std::lower_bound(rows.begin(), rows.end(), code, precedes);
    return row != rows.end() && row->code == code ? row : nullptr;
}

u32 UnicodeForms::decompose(u32 code, bool compatible, u32* parts) const {
    parts[0] = code;
    if (code < 0xA0 || code >= kIllFormedBytes) return 1;
    if (is_syllable(code)) return decompose_syllable(code, parts);
    const Row* row = compatible ? row_of(compatible_, code) : nullptr;
    if (!row) row = row_of(canonical_, code);
    if (!row) return 1;
    std::memcpy(parts, character_data::kDecompositions + row->first, row->count * sizeof(u32));
    return row->count;
}

Status UnicodeForms::normalize(UnicodeForm form, StepText* text, Normalizer::Scratch& scratch) const {
    const Status status = changes_of(form, *text, scratch);
    return status.ok() ? apply(scratch.changes, 0, text, &scratch.spare) : status;
}

Status UnicodeForms::changes_of(UnicodeForm form, const StepText& text, Normalizer::Scratch& scratch) const {
    const bool compatible = is_compatible(form);
    scratch.parts.clear();
    for (const StepCharacter& each : text) {
        u32 parts[kMostParts];
        const u32 count = decompose(each.code, compatible, parts);
        for (u32 i = 0; i < count; ++i) {
            const u32 mark_class = tables_.properties(parts[i]) & NfcTables::kClass;
            if (!scratch.parts.push_back({parts[i], mark_class, i > 0})) return Status::out_of_memory();
        }
    }
    if (Status status = sort_marks(scratch); !status.ok()) return status;
    if (form == UnicodeForm::kNfc || form == UnicodeForm::kNfkc) compose(tables_, &scratch.parts);
    if (!scratch.changes.resize(scratch.parts.size())) return Status::out_of_memory();
    for (size_t i = 0; i < scratch.parts.size(); ++i) {
        scratch.changes[i] = {scratch.parts[i].code, scratch.parts[i].change};
    }
    return {};
}

bool UnicodeForms::joins(UnicodeForm form, u32 code) const {
    if (code < 0x300 || code >= kIllFormedBytes) return false;  // what these become begins with a letter or a space
    u32 parts[kMostParts];
    decompose(code, is_compatible(form), parts);
    return ((tables_.properties(code) | tables_.properties(parts[0])) & (NfcTables::kJoins | NfcTables::kClass)) != 0;
}

u32 lowercase_of(u32 code, u32* out) {
    using namespace character_data;
    out[0] = code;
    if (code < 0x80) {
        out[0] = code - 'A' < 26 ? code + 0x20 : code;
        return 1;
    }
    if (code == 0x130) {  // the character that becomes two
        out[0] = 'i';
        out[1] = 0x307;
        return 2;
    }
    const u32* const run = row_of(kLowercase, kLowercaseCount, 4, code);
    if (run && (code - run[0]) % run[2] == 0) out[0] = code + run[3];
    return 1;
}

bool is_nonspacing(u32 code) {
    return code >= 0x300 && is_in(character_data::kNonspacing, character_data::kNonspacingCount, code);
}
bool is_combining(u32 code) { return code >= 0x300 && is_in(character_data::kCombining, character_data::kCombiningCount, code); }
bool is_cleaned_away(u32 code) {
    if (code - 0x20 < 0x5F) return false;
    return is_in(character_data::kRemoved, character_data::kRemovedCount, code);
}
bool is_cleaned_to_space(u32 code) {
    if (code - 0x21 < 0x5E) return false;
    return is_in(character_data::kSpaces, character_data::kSpacesCount, code);
}
bool is_nmt_removed(u32 code) {
    return (code >= 1 && code <= 8) || code == 0xB || (code >= 0xE && code <= 0x1F) || code == 0x7F || code == 0x8F ||
           code == 0x9F;
}
bool is_nmt_space(u32 code) {
    return code == 9 || code == 0xA || code == 0xC || code == 0xD || code == 0x1680 || (code >= 0x200B && code <= 0x200F) ||
           code == 0x2028 || code == 0x2029 || code == 0x2581 || code == 0xFEFF || code == 0xFFFD;
}
bool is_ideograph(u32 code) {
    return code >= 0x2E80 && is_in(character_data::kIdeographs, character_data::kIdeographsCount, code);
}

namespace {

using MarkedPart = Normalizer::Scratch::Part;

// Up to this many marks are sorted by insertion; more, by counting.
constexpr size_t kMostInserted = 16;
constexpr u32 kMarkClasses = 256;

}  // namespace

// Sorts the marks between starters by class, stably.
Status sort_marks(Normalizer::Scratch& scratch) {
    Buffer<MarkedPart>& parts = scratch.parts;
    for (size_t begin = 0, end; begin < parts.size(); begin = end) {
        end = begin + 1;
        if (parts[begin].mark_class == 0) continue;
        while (end < parts.size() && parts[end].mark_class != 0) ++end;
        MarkedPart* const marks = parts.data() + begin;
        const size_t count = end - begin;
        if (count <= kMostInserted) {
            for (size_t i = 1; i < count; ++i) {
                const MarkedPart mark = marks[i];
                size_t to = i;
                for (; to > 0 && marks[to - 1].mark_class > mark.mark_class; --to) marks[to] = marks[to - 1];
                marks[to] = mark;
            }
            continue;
        }
        size_t starts[kMarkClasses] = {};
        for (size_t i = 0; i < count; ++i) ++starts[marks[i].mark_class];
        for (size_t i = 0, before = 0; i < kMarkClasses; ++i) {
            const size_t size = starts[i];
            starts[i] = before;
            before += size;
        }
        if (!scratch.sorted.resize(count)) return Status::out_of_memory();
        for (size_t i = 0; i < count; ++i) scratch.sorted[starts[marks[i].mark_class]++] = marks[i];
        std::memcpy(marks, scratch.sorted.data(), count * sizeof(MarkedPart));
    }
    return {};
}

// A character composes with the last starter, unless a starter, or a mark of the same or a higher class, is between them.
void compose(const NfcTables& tables, Buffer<MarkedPart>* all) {
    Buffer<MarkedPart>& parts = *all;
    size_t size = 0, starter = 0;
    bool has_starter = false;
    u32 mark_class = 0;  // the class of the mark between them, or 0
    for (size_t i = 0; i < parts.size(); ++i) {
        const MarkedPart part = parts[i];
        if (has_starter && (mark_class == 0 || mark_class < part.mark_class)) {
            if (const u32 composed = tables.compose(parts[starter].code, part.code)) {
                parts[starter].code = composed;
                parts[starter].change += part.change - 1;
                continue;
            }
        }
        if (part.mark_class == 0) {
            starter = size;
            has_starter = true;
        }
        mark_class = part.mark_class;
        parts[size++] = part;
    }
    parts.truncate(size);
}

}  // namespace crayon
