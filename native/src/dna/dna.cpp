#include "dna/dna.h"

#include <algorithm>
#include <new>
#include <string_view>

namespace crayon {

using layout::DnaPolicy;
using layout::DnaTail;
using layout::DnaUnit;
using layout::kNone;

namespace {

constexpr Status kInvalid{CRAYON_INVALID_ARGUMENT, 0, 0};

bool choose_one(u32 policy, u32 last, u32 default_value, auto* chosen) {
    if (policy != default_value && policy > last) return false;
    if (policy != default_value) *chosen = static_cast<std::remove_pointer_t<decltype(chosen)>>(policy);
    return true;
}

}  // namespace

Status Dna::create(Tokenizer& tokenizer, const crayon_dna_policies& policies, Dna** out) {
    if (tokenizer.model_kind() != layout::kDnaModel) return kInvalid;
    Dna* dna = new (std::nothrow) Dna(tokenizer);
    if (!dna) return Status::out_of_memory();
    Status status = dna->choose(policies);
    if (status.ok()) status = dna->prepare();
    if (status.ok()) {
        *out = dna;
    } else {
        dna->release();
    }
    return status;
}

Status Dna::choose(const crayon_dna_policies& policies) {
    view_ = tokenizer_.dna();
    rules_ = *view_.rules;
    const bool known = choose_one(policies.lower_case, CRAYON_DNA_KEEP, CRAYON_DNA_DEFAULT, &rules_.lower_case) &&
                       choose_one(policies.ambiguous, CRAYON_DNA_KEEP, CRAYON_DNA_DEFAULT, &rules_.ambiguous) &&
                       choose_one(policies.n, CRAYON_DNA_KEEP, CRAYON_DNA_DEFAULT, &rules_.n) &&
                       choose_one(policies.tail, CRAYON_DNA_TAIL_DROP, CRAYON_DNA_TAIL_DEFAULT, &rules_.tail);
    const bool possible = rules_.n != DnaPolicy::kNormalize && !(rules_.tail == DnaTail::kPad && rules_.pad_id == kNone);
    return known && possible ? Status{} : kInvalid;
}

// The byte that this one counts as, or -1 if the policies reject it.
int Dna::folded(u32 byte) const {
    const u32 upper = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    if (byte != upper) {
        if (rules_.lower_case == DnaPolicy::kReject) return -1;
        if (rules_.lower_case == DnaPolicy::kNormalize) byte = upper;
    }
    const bool is_ambiguous =
        upper < 128 && std::string_view("RYSWKMBDHV").find(static_cast<char>(upper)) != std::string_view::npos;
    if (is_ambiguous && rules_.ambiguous == DnaPolicy::kReject) return -1;
    if (is_ambiguous && rules_.ambiguous == DnaPolicy::kNormalize) byte = 'N';
    if ((byte == 'N' || byte == 'n') && rules_.n == DnaPolicy::kReject) return -1;
    return static_cast<int>(byte);
}

Status Dna::prepare() {
    u32 greatest = 0;
    for (u32 byte = 0; byte < layout::kByteValues; ++byte) {
        const int as = folded(byte);
        const u32 id = as < 0 ? kNone : view_.base_ids[as];
        ids_[byte] = as >= 0 && id == kNone ? view_.unknown_id : id;
        const u8 *const digits = rules_.digits, *const end = digits + rules_.digit_count,
                        *const digit = as < 0 ? end : std::find(digits, end, static_cast<u8>(as));
        const bool joins = rules_.unknown == layout::DnaUnknown::kWords && id == kNone;
        digits_[byte] = as < 0                       ? kRejected
                        : digit != end               ? static_cast<u8>(digit - digits)
                        : !joins                     ? kNoDigit
                        : layout::is_dna_space(byte) ? kSpace
                                                     : kInWord;
        two_bits_.values[byte] = digits_[byte] < 4 ? digits_[byte] : kNoDigit;
        if (ids_[byte] != kNone) greatest = std::max(greatest, ids_[byte]);
    }
    two_bits_.rejected = kNoDigit;
    two_bits_.rejects = true;
    two_bits_.complete();

    has_id_map_ = greatest < 256;
    if (has_id_map_) {
        bool used[256] = {};
        for (const u32 id : ids_) {
            if (id != kNone) used[id] = true;
        }
        id_map_.rejects = std::find(std::begin(ids_), std::end(ids_), kNone) != std::end(ids_);
        // If one of 256 bytes has no id, one of 256 ids has no byte.
        id_map_.rejected = static_cast<u8>(std::find(std::begin(used), std::end(used), false) - used);
        id_map_.counts = view_.unknown_id < 256 && used[view_.unknown_id];
        id_map_.counted = static_cast<u8>(view_.unknown_id);
        for (u32 byte = 0; byte < layout::kByteValues; ++byte) {
            id_map_.values[byte] = ids_[byte] == kNone ? id_map_.rejected : static_cast<u8>(ids_[byte]);
        }
        id_map_.complete();
    }
    const Status status = rules_.unit == DnaUnit::kBytes ? Status{} : prepare_kmers();
    greatest = greatest_id();
    least_width_ = greatest < 0x100 ? 1 : greatest < 0x10000 ? 2 : 4;
    return status;
}

// With five digits, or where some k-mers have no id, the kernels need a separate table.
Status Dna::prepare_kmers() {
    const u32 k = rules_.k, count = layout::kmer_count(4, k);
    const bool stride_1 = rules_.unit == DnaUnit::kStride1;
    kmers_.k = k;
    kmers_.stride = stride_1 ? 1 : k;
    kmers_.first = rules_.first_kmer_id;
    for (u32 i = 0; i < 4; ++i) {
        const u32 at = i * kmers_.stride;
        for (u32 byte = 0; byte < 4; ++byte) kmers_.byte_indices[4 * i + byte] = static_cast<u8>(at / 4 + 3 - byte);
        kmers_.shifts[i] = at % 4 * 2;
    }
    kernels_have_kmers_ = true;
    if (rules_.digit_count == 4 && view_.kmer_ids.empty()) {
        kernels_have_unknown_ = view_.unknown_id - rules_.first_kmer_id < count;
        return {};
    }
    if (!four_digit_ids_.resize(count)) return Status::out_of_memory();
    for (u32 four = 0; four < count; ++four) {
        u32 index = 0;
        for (u32 i = k; i-- > 0;) index = index * rules_.digit_count + (four >> (2 * i) & 3);
        const u32 id = kmer_id(index);
        four_digit_ids_[four] = id == kNone && stride_1 ? view_.unknown_id : id;
        if (four_digit_ids_[four] == kNone)
            kernels_have_kmers_ = false;
        else if (four_digit_ids_[four] == view_.unknown_id)
            kernels_have_unknown_ = true;
    }
    kmers_.ids = four_digit_ids_.data();
    return {};
}

u32 Dna::greatest_id() const {
    u32 greatest = 0;
    const auto add = [&](u32 id) { greatest = id == kNone ? greatest : std::max(greatest, id); };
    for (const u32 id : ids_) add(id);
    for (const u32 id : view_.start_ids) add(id);
    for (const u32 id : view_.kmer_ids) add(id);
    for (const u32 id : view_.before) add(id);
    for (const u32 id : view_.after) add(id);
    add(view_.unknown_id);
    add(rules_.pad_id);
    if (rules_.unit != DnaUnit::kBytes && view_.kmer_ids.empty()) {
        add(rules_.first_kmer_id + layout::kmer_count(rules_.digit_count, rules_.k) - 1);
    }
    return greatest;
}

}  // namespace crayon
