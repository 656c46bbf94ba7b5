// The DNA section: its rules, and the ids in its tables.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include "cartridge/sections.h"

namespace crayon {

using layout::DnaPolicy;
using layout::DnaRules;
using layout::DnaTail;
using layout::DnaUnit;
using layout::DnaUnknown;
using layout::kNone;

namespace {

// The words of DnaRules with an upper bound independent of the others; kAny: no bound.
constexpr u8 kAny = 0xFF;
constexpr u8 kGreatest[] = {3, layout::kMaxKmer,        layout::kMaxDigits,     kAny, kAny, kAny, kAny, 1, 2, 2, 2,
                            2, layout::kMaxDnaTemplate, layout::kMaxDnaTemplate};
static_assert(std::size(kGreatest) == offsetof(DnaRules, digits) / sizeof(u32));

// The offset in DnaRules of the first field that breaks a rule; sizeof(DnaRules) if none does.
size_t first_broken(const DnaRules& rules, u32 vocabulary_size) {
    const u32* const words = reinterpret_cast<const u32*>(&rules);
    for (size_t i = 0; i < sizeof kGreatest; ++i) {
        if (kGreatest[i] != kAny && words[i] > kGreatest[i]) return i * sizeof(u32);
    }
    const bool is_bytes = rules.unit == DnaUnit::kBytes;
    if (rules.unit < DnaUnit::kBytes) return offsetof(DnaRules, unit);
    if (rules.k < 1 || (is_bytes && rules.k > 1)) return offsetof(DnaRules, k);
    if (is_bytes ? rules.digit_count != 0 : rules.digit_count < 4) return offsetof(DnaRules, digit_count);
    const u32 kmers = is_bytes ? 0 : layout::kmer_count(rules.digit_count, rules.k);
    if (rules.kmer_count != 0 && rules.kmer_count != kmers) return offsetof(DnaRules, kmer_count);
    const bool has_rule = rules.first_kmer_id != kNone;
    if (has_rule == (is_bytes || rules.kmer_count != 0) || (has_rule && u64{rules.first_kmer_id} + kmers > vocabulary_size)) {
        return offsetof(DnaRules, first_kmer_id);
    }
    if (rules.start_count != 0 && (!is_bytes || rules.start_count != layout::kByteValues)) {
        return offsetof(DnaRules, start_count);
    }
    if (rules.pad_id != kNone && rules.pad_id >= vocabulary_size) return offsetof(DnaRules, pad_id);
    if (rules.n == DnaPolicy::kNormalize) return offsetof(DnaRules, n);
    if (rules.tail == DnaTail::kPad && rules.pad_id == kNone) return offsetof(DnaRules, tail);
    for (u32 i = 0; i < sizeof rules.digits; ++i) {
        const u8 digit = rules.digits[i];
        const bool is_known = std::find(rules.digits, rules.digits + i, digit) != rules.digits + i;
        if (i < rules.digit_count ? is_known : digit != 0) return offsetof(DnaRules, digits) + i;
    }
    if (rules.unknown > DnaUnknown::kWords || (rules.unknown == DnaUnknown::kWords && rules.unit != DnaUnit::kKmers)) {
        return offsetof(DnaRules, unknown);
    }
    for (u32 i = 0; i < sizeof rules.zero; ++i) {
        if (rules.zero[i] != 0) return offsetof(DnaRules, zero) + i;
    }
    return sizeof(DnaRules);
}

// Whether all unknown bytes have an id, and none of them is a digit.
bool can_join(const DnaView& dna) {
    const u8 *const digits = dna.rules->digits, *const end = digits + dna.rules->digit_count;
    return dna.unknown_id != kNone && std::all_of(digits, end, [&](u8 digit) { return dna.base_ids[digit] != kNone; });
}

}  // namespace

Status Sections::read_dna(const SectionRange* sections) {
    const Status status = read_tokens(sections[layout::kTokenOffsets], sections[layout::kTokenBytes]);
    if (!status.ok()) return status;
    u32 vocabulary_size = kNone;
    for (const layout::View& view : contents_.view_rows) vocabulary_size = std::min(vocabulary_size, view.vocabulary_size);
    DnaView& dna = contents_.dna;
    if (dna.unknown_id != kNone && dna.unknown_id >= vocabulary_size) {
        return corrupt(layout::kModel, model_offset_ + offsetof(layout::Model, unknown_id));
    }

    const SectionRange section = sections[layout::kDna];
    if (section.length < sizeof(DnaRules)) return corrupt(section.id, section.offset);
    const DnaRules& rules = *at<DnaRules>(section.offset);
    const size_t broken = first_broken(rules, vocabulary_size);
    if (broken < sizeof(DnaRules)) return corrupt(section.id, section.offset + broken);

    u64 next = section.offset + sizeof(DnaRules);
    const u64 ids = u64{layout::kByteValues} + rules.start_count + rules.kmer_count + rules.before_count + rules.after_count;
    if (next + ids * sizeof(u32) != section.end()) return corrupt(section.id, section.offset);
    const u64 template_at = section.end() - (u64{rules.before_count} + rules.after_count) * sizeof(u32);
    for (u64 at_id = next; at_id < section.end(); at_id += sizeof(u32)) {
        const u32 id = *at<u32>(at_id);
        if (id >= vocabulary_size && (id != kNone || at_id >= template_at)) return corrupt(section.id, at_id);
    }
    const auto take = [&](u32 count) {
        const std::span<const u32> taken = {at<u32>(next), count};
        next += taken.size_bytes();
        return taken;
    };
    dna.rules = &rules;
    dna.base_ids = take(layout::kByteValues).data();
    dna.start_ids = take(rules.start_count);
    dna.kmer_ids = take(rules.kmer_count);
    dna.before = take(rules.before_count);
    dna.after = take(rules.after_count);
    if (rules.unknown == DnaUnknown::kWords && !can_join(dna))
        return corrupt(section.id, section.offset + offsetof(DnaRules, unknown));
    return {};
}

}  // namespace crayon
