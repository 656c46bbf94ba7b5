#include "compile/dna_compiler.h"

#include <algorithm>
#include <utility>

#include "base/least_heap.h"
#include "crayon/layout/longest_match.h"
#include "tables/cartridge_writer.h"

namespace crayon {

using layout::AddedToken;
using layout::DnaPolicy;
using layout::DnaSide;
using layout::DnaTail;
using layout::DnaUnit;
using layout::DnaUnknown;
using layout::kNone;

namespace {

template <class T>
Status replace(Buffer<T>* buffer, const T* values, size_t count) {
    Buffer<T> copy;
    if (!copy.append(values, count)) return Status::out_of_memory();
    *buffer = std::move(copy);
    return {};
}

template <class T>
bool append(const T* values, size_t count, Buffer<u8>* section) {
    return section->append(reinterpret_cast<const u8*>(values), count * sizeof(T));
}
template <class T>
bool append(const Buffer<T>& values, Buffer<u8>* section) {
    return append(values.data(), values.size(), section);
}

}  // namespace

Status DnaCompiler::set_rules(const crayon_dna_rules& rules) {
    const crayon_dna_policies& policies = rules.policies;
    const bool is_bytes = rules.unit == CRAYON_DNA_BYTES;
    if (rules.unit < CRAYON_DNA_BYTES || rules.unit > CRAYON_DNA_STRIDE_1 || rules.k < 1 ||
        rules.k > (is_bytes ? 1 : layout::kMaxKmer) || rules.side > CRAYON_DNA_SIDE_RIGHT ||
        rules.vocabulary_size > layout::kFirstReservedId || policies.lower_case > CRAYON_DNA_KEEP ||
        policies.ambiguous > CRAYON_DNA_KEEP || policies.n > CRAYON_DNA_KEEP || policies.n == CRAYON_DNA_NORMALIZE ||
        policies.tail > CRAYON_DNA_TAIL_DROP || rules.unknown > CRAYON_DNA_UNKNOWN_WORDS ||
        (policies.tail == CRAYON_DNA_TAIL_PAD && rules.pad_id == kNone)) {
        return Status::invalid_argument();
    }
    rules_.unit = static_cast<DnaUnit>(rules.unit);
    rules_.k = rules.k;
    rules_.first_kmer_id = is_bytes ? kNone : rules.first_kmer_id;
    rules_.pad_id = rules.pad_id;
    rules_.side = static_cast<DnaSide>(rules.side);
    rules_.lower_case = static_cast<DnaPolicy>(policies.lower_case);
    rules_.ambiguous = static_cast<DnaPolicy>(policies.ambiguous);
    rules_.n = static_cast<DnaPolicy>(policies.n);
    rules_.tail = static_cast<DnaTail>(policies.tail);
    rules_.unknown = static_cast<DnaUnknown>(rules.unknown);
    model_.kind = layout::kDnaModel;
    model_.unknown_id = rules.unknown_id;
    vocabulary_size_ = rules.vocabulary_size;
    return {};
}

Status DnaCompiler::set_tokens(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count) {
    while (token_count > 0 && offsets[token_count] == offsets[token_count - 1]) --token_count;
    if (token_count > layout::kMaxTokens) return {CRAYON_VOCABULARY_TOO_LARGE, 0, token_count};
    if (token_count == 0 || offsets[0] != 0) return Status::invalid_argument();
    u32 longest = 0;
    for (u32 id = 0; id < token_count; ++id) {
        if (offsets[id + 1] < offsets[id] || offsets[id + 1] > byte_count) return Status::invalid_argument(id + 1);
        longest = std::max(longest, offsets[id + 1] - offsets[id]);
        if (longest > layout::kMaxTokenLength) return Status::invalid_argument(id);
    }
    if (offsets[token_count] != byte_count) return Status::invalid_argument(token_count);
    Status status = replace(&token_bytes_, bytes, byte_count);
    if (status.ok()) status = replace(&token_offsets_, offsets, size_t{token_count} + 1);
    model_.token_count = status.ok() ? token_count : 0;
    model_.max_token_length = longest;
    return status;
}

Status DnaCompiler::set_bases(const u32* ids, const u32* start_ids) {
    Status status = replace(&base_ids_, ids, layout::kByteValues);
    if (status.ok()) status = replace(&start_ids_, start_ids, start_ids ? layout::kByteValues : 0);
    return status;
}

Status DnaCompiler::set_kmers(std::span<const u8> digits, std::span<const u32> ids) {
    if (digits.size() < 4 || digits.size() > layout::kMaxDigits) return Status::invalid_argument();
    for (size_t i = 0; i < digits.size(); ++i) {
        if (std::find(digits.begin(), digits.begin() + i, digits[i]) != digits.begin() + i) return Status::invalid_argument(i);
    }
    const Status status = replace(&kmer_ids_, ids.data(), ids.size());
    if (!status.ok()) return status;
    std::fill(std::begin(rules_.digits), std::end(rules_.digits), u8{0});
    std::copy(digits.begin(), digits.end(), rules_.digits);
    rules_.digit_count = static_cast<u32>(digits.size());
    return {};
}

Status DnaCompiler::set_template(std::span<const u32> before, std::span<const u32> after) {
    if (before.size() > layout::kMaxDnaTemplate || after.size() > layout::kMaxDnaTemplate) return Status::invalid_argument();
    Status status = replace(&before_, before.data(), before.size());
    if (status.ok()) status = replace(&after_, after.data(), after.size());
    return status;
}

Status DnaCompiler::set_metadata(std::string_view json) {
    if (json.size() < 2 || json.front() != '{' || json.back() != '}') return Status::invalid_argument();
    return replace(&metadata_, json.data(), json.size());
}

Status DnaCompiler::set_name(std::string_view name) {
    return name.empty() ? Status::invalid_argument() : replace(&name_, name.data(), name.size());
}

Status DnaCompiler::add_special(std::string_view bytes, u32 id, u32 flags) {
    if ((flags & ~u32{layout::kLstrip}) != 0) return Status::invalid_argument(id);
    if (bytes.empty() || bytes.size() > layout::kMaxAddedTokenLength || id >= layout::kFirstReservedId)
        return Status::invalid_argument(id);
    for (const AddedToken& other : specials_) {
        if (special_bytes(other) == bytes) return {CRAYON_DUPLICATE_TOKEN, 0, id};
    }
    const AddedToken token = {static_cast<u32>(special_bytes_.size()), static_cast<u32>(bytes.size()), id,
                              layout::kSpecial | flags};
    if (!specials_.reserve(specials_.size() + 1) ||
        !special_bytes_.append(reinterpret_cast<const u8*>(bytes.data()), bytes.size()) || !specials_.push_back(token)) {
        return Status::out_of_memory();
    }
    const auto next = std::upper_bound(specials_.begin(), specials_.end() - 1, token,
                                       [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
    std::rotate(next, specials_.end() - 1, specials_.end());
    return {};
}

Status DnaCompiler::check_specials() const {
    for (const AddedToken& special : specials_) {
        const std::string_view bytes = special.id < model_.token_count ? token(special.id) : std::string_view();
        if (!bytes.empty() && bytes != special_bytes(special)) return Status::invalid_argument(special.id);
    }
    return {};
}

u32 DnaCompiler::greatest_id() const {
    u32 greatest = model_.token_count - 1;
    const auto add = [&](u32 id) {
        if (id != kNone) greatest = std::max(greatest, id);
    };
    for (const Buffer<u32>* ids : {&base_ids_, &start_ids_, &kmer_ids_, &before_, &after_}) {
        for (const u32 id : *ids) add(id);
    }
    for (const AddedToken& special : specials_) add(special.id);
    add(model_.unknown_id);
    add(rules_.pad_id);
    if (rules_.first_kmer_id != kNone) {
        const u64 last = u64{rules_.first_kmer_id} + layout::kmer_count(rules_.digit_count, rules_.k) - 1;
        add(static_cast<u32>(std::min<u64>(last, layout::kFirstReservedId)));
    }
    return greatest;
}

// Checks that the parts fit together; the setters have checked the rest.
Status DnaCompiler::check_ids(u32 vocabulary_size) const {
    const bool is_bytes = rules_.unit == DnaUnit::kBytes;
    if (is_bytes != (rules_.digit_count == 0) || (!is_bytes && !start_ids_.empty())) return Status::invalid_argument();
    if (!is_bytes && kmer_ids_.empty() == (rules_.first_kmer_id == kNone)) return Status::invalid_argument();
    if (!kmer_ids_.empty() && kmer_ids_.size() != layout::kmer_count(rules_.digit_count, rules_.k))
        return Status::invalid_argument();
    if (rules_.unknown == DnaUnknown::kWords) {
        if (rules_.unit != DnaUnit::kKmers || model_.unknown_id == kNone) return Status::invalid_argument();
        for (u32 i = 0; i < rules_.digit_count; ++i) {
            if (base_ids_[rules_.digits[i]] == kNone) return Status::invalid_argument(rules_.digits[i]);
        }
    }
    for (const Buffer<u32>* ids : {&before_, &after_}) {
        for (const u32 id : *ids) {
            if (id == kNone) return Status::invalid_argument(id);
        }
    }
    const u32 greatest = greatest_id();
    return greatest < vocabulary_size && greatest < layout::kFirstReservedId ? check_specials()
                                                                             : Status::invalid_argument(greatest);
}

Status DnaCompiler::make_views(u32 vocabulary_size, Buffer<u8>* section) const {
    const std::string_view name = name_.empty() ? std::string_view("default") : std::string_view(name_.data(), name_.size());
    const layout::RowCount size = {1, static_cast<u32>(name.size())};
    layout::View view{};
    view.name_length = size.string_bytes;
    view.pretokenizer = layout::kNoPretokenizer;
    view.unicode = layout::kUnicode16;
    view.added_count = static_cast<u32>(specials_.size());
    view.vocabulary_size = vocabulary_size;
    const bool allocated = append(&size, 1, section) && append(&view, 1, section) && append(name.data(), name.size(), section);
    return allocated ? Status{} : Status::out_of_memory();
}

Status DnaCompiler::make_added_tokens(Buffer<u8>* section) const {
    Buffer<u32> sorted;
    if (!sorted.resize(specials_.size())) return Status::out_of_memory();
    for (u32 i = 0; i < sorted.size(); ++i) sorted[i] = i;
    heap_sort(sorted.begin(), sorted.end(),
              [this](u32 a, u32 b) { return special_bytes(specials_[a]) < special_bytes(specials_[b]); });
    const layout::RowCount size = {static_cast<u32>(specials_.size()), static_cast<u32>(special_bytes_.size())};
    const bool allocated =
        append(&size, 1, section) && append(specials_, section) && append(sorted, section) && append(special_bytes_, section);
    return allocated ? Status{} : Status::out_of_memory();
}

Status DnaCompiler::make_dna(Buffer<u8>* section) const {
    layout::DnaRules rules = rules_;
    rules.kmer_count = static_cast<u32>(kmer_ids_.size());
    rules.start_count = static_cast<u32>(start_ids_.size());
    rules.before_count = static_cast<u32>(before_.size());
    rules.after_count = static_cast<u32>(after_.size());
    const bool allocated = append(&rules, 1, section) && append(base_ids_, section) && append(start_ids_, section) &&
                           append(kmer_ids_, section) && append(before_, section) && append(after_, section);
    return allocated ? Status{} : Status::out_of_memory();
}

Status DnaCompiler::finish(const OwnedBytes** file) {
    if (model_.kind != layout::kDnaModel || model_.token_count == 0 || base_ids_.empty()) return Status::invalid_argument();
    if (metadata_.empty() && !metadata_.append("{}", 2)) return Status::out_of_memory();
    const u32 vocabulary_size = vocabulary_size_ != 0 ? vocabulary_size_ : greatest_id() + 1;
    Buffer<u8> views, added, dna;
    Status status = check_ids(vocabulary_size);
    if (status.ok()) status = make_views(vocabulary_size, &views);
    if (status.ok()) status = make_added_tokens(&added);
    if (status.ok()) status = make_dna(&dna);
    if (!status.ok()) return status;
    const SectionBytes sections[] = {section_of(layout::kMetadata, metadata_),
                                     {layout::kModel, &model_, sizeof model_},
                                     section_of(layout::kViews, views),
                                     section_of(layout::kAddedTokens, added),
                                     section_of(layout::kTokenOffsets, token_offsets_),
                                     section_of(layout::kTokenBytes, token_bytes_),
                                     section_of(layout::kDna, dna)};
    status = write_cartridge(sections, &file_);
    if (status.ok()) *file = &file_;
    return status;
}

}  // namespace crayon
