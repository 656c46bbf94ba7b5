#include "compile/compiler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compile/dat_writer.h"
#include "compile/merge_list_writer.h"
#include "crayon/layout/longest_match.h"
#include "crayon/layout/marked_ids.h"
#include "crayon/layout/pretokenizers.h"
#include "tables/bpe_tables.h"
#include "tables/cartridge_writer.h"
#include "tables/sorted_tokens.h"

namespace crayon {

namespace {

using layout::AddedToken;
using layout::kNone;
using layout::View;

constexpr u32 kMaxStrings = 1u << 30;  // so that offsets of strings and their sums fit 32 bits

bool append(std::string_view text, Buffer<u8>* out) { return out->append(reinterpret_cast<const u8*>(text.data()), text.size()); }

template <class Row>
bool append_row(const Row& row, Buffer<u8>* out) {
    return out->append(reinterpret_cast<const u8*>(&row), sizeof row);
}

std::string_view view_of(const u8* bytes, u32 length) { return {reinterpret_cast<const char*>(bytes), length}; }

// A list of strings has U+FFFD where tokens had bytes that are not UTF-8, so different tokens may have become equal. The
// lists CRAYON published have hundreds of these, and their version 2 files find the last one. Writes the ids of the others
// to `repeats`, ascending: they decode, but no text produces them. Equal tokens without U+FFFD are a mistake and stay.
// False: out of memory. Cost: linear in the bytes, and n log n comparisons for n tokens that contain U+FFFD.
bool find_lossy_repeats(const TokenList& tokens, Buffer<u32>* repeats) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    const auto text_of = [&](u32 id) { return view_of(tokens.token(id), tokens.length(id)); };
    Buffer<u32> lossy;
    for (u32 id = 0; id < tokens.count; ++id) {
        if (text_of(id).find(kReplacement) != std::string_view::npos && !lossy.push_back(id)) return false;
    }
    std::sort(lossy.begin(), lossy.end(), [&](u32 a, u32 b) {
        const int order = text_of(a).compare(text_of(b));
        return order != 0 ? order < 0 : a < b;
    });
    for (size_t i = 1; i < lossy.size(); ++i) {
        if (text_of(lossy[i - 1]) == text_of(lossy[i]) && !repeats->push_back(lossy[i - 1])) return false;
    }
    std::sort(repeats->begin(), repeats->end());
    return true;
}

}  // namespace

// `least`: keeps at least this many, even if the last of them have no bytes.
Status Compiler::take_tokens(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, Tokens* vocabulary,
                             u32 least) {
    while (token_count > least && offsets[token_count] == offsets[token_count - 1]) --token_count;
    if (token_count > layout::kMaxTokens) return {CRAYON_VOCABULARY_TOO_LARGE, 0, token_count};
    if (offsets[0] != 0) return Status::invalid_argument(0);
    u32 longest = 0;
    for (u32 id = 0; id < token_count; ++id) {
        if (offsets[id + 1] < offsets[id] || offsets[id + 1] > byte_count) return Status::invalid_argument(id + 1);
        const u32 length = offsets[id + 1] - offsets[id];
        if (length > layout::kMaxTokenLength) return Status::invalid_argument(id);
        longest = std::max(longest, length);
    }
    if (offsets[token_count] != byte_count) return Status::invalid_argument(token_count);
    if (!vocabulary->bytes.append(bytes, byte_count) || !vocabulary->offsets.append(offsets, size_t{token_count} + 1)) {
        return Status::out_of_memory();
    }
    vocabulary->count = token_count;
    vocabulary->longest = longest;
    return {};
}

void Compiler::set(Tokens vocabulary, layout::ModelKind kind, u32 unknown_id) {
    token_bytes_ = std::move(vocabulary.bytes);
    token_offsets_ = std::move(vocabulary.offsets);
    model_ = {kind, vocabulary.count, vocabulary.longest, unknown_id};
    unmatched_.clear();
    splits_.clear();
    ids_.clear();
    ranks_.clear();
    hidden_ = {};
    rules_.clear();
    dat_.clear();
}

Status Compiler::set_bpe(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count) {
    Tokens vocabulary;
    RankTable table;
    const Status status = take_bpe(bytes, byte_count, offsets, token_count, {}, &vocabulary, &table);
    if (!status.ok()) return status;
    set(std::move(vocabulary), layout::kBpe, 0);
    table_ = std::move(table);
    return {};
}

// The tokens, with a table of those that are matched, which has each byte.
Status Compiler::take_bpe(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, std::span<const u32> unmatched,
                          Tokens* vocabulary, RankTable* table) {
    const u32 last = unmatched.empty() ? kNone : unmatched.back();
    Status status = take_tokens(bytes, byte_count, offsets, token_count, vocabulary, last < token_count ? last + 1 : 0);
    if (!status.ok()) return status;
    const TokenList tokens = {vocabulary->bytes.data(), vocabulary->offsets.data(), vocabulary->count};
    for (size_t i = 0; i < unmatched.size(); ++i) {
        const bool ascends = i == 0 || unmatched[i] > unmatched[i - 1];
        if (!ascends || unmatched[i] >= tokens.count) {
            return {CRAYON_INVALID_ARGUMENT, layout::kUnmatched, i};
        }
    }
    status = table->build(tokens, unmatched);
    for (u32 byte = 0; status.ok() && byte < 256; ++byte) {
        const u8 token[1] = {static_cast<u8>(byte)};
        if (table->find(token, 1) == kNone) status = {CRAYON_MISSING_BYTE_TOKEN, 0, byte};
    }
    return status;
}

Status Compiler::set_bpe_merges(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, const MergeList& merges,
                                std::span<const u32> unmatched, bool whole) {
    Tokens vocabulary;
    RankTable table;
    MergeOrder order;
    Status status = take_bpe(bytes, byte_count, offsets, token_count, unmatched, &vocabulary, &table);
    if (status.ok()) {
        status = order_merges({vocabulary.bytes.data(), vocabulary.offsets.data(), vocabulary.count}, table, unmatched, merges,
                              &order);
    }
    if (!status.ok()) return status;
    if (whole) return set_order(std::move(vocabulary), std::move(order), unmatched);
    Buffer<u32> never;
    if (!never.resize(unmatched.size() + order.unmade.size())) return Status::out_of_memory();
    std::merge(unmatched.begin(), unmatched.end(), order.unmade.begin(), order.unmade.end(), never.begin());
    return set_order(std::move(vocabulary), std::move(order), {never.data(), never.size()});
}

Status Compiler::set_bpe_splits(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, const layout::Split* splits,
                                const u32* ids, std::span<const u32> unmatched, const u32* priorities) {
    Tokens vocabulary;
    RankTable table;
    const Status status = take_bpe(bytes, byte_count, offsets, token_count, unmatched, &vocabulary, &table);
    if (!status.ok()) return status;
    if (vocabulary.count != token_count) return Status::invalid_argument(token_count);
    const TokenList tokens = {vocabulary.bytes.data(), vocabulary.offsets.data(), vocabulary.count};
    const auto token = [&](u32 rank) {
        const u32 id = ids ? ids[rank] : rank;
        return view_of(tokens.token(id), tokens.length(id));
    };
    for (u32 rank = 0; rank < token_count; ++rank) {
        const auto [left, right] = splits[rank];
        if (left == rank) continue;
        const std::string_view begin = token(left), end = token(right), whole_token = token(rank);
        const bool is_whole = begin.size() + end.size() == whole_token.size() && !begin.empty() && !end.empty() &&
                              std::memcmp(whole_token.data(), begin.data(), begin.size()) == 0 &&
                              std::memcmp(whole_token.data() + begin.size(), end.data(), end.size()) == 0;
        if (!is_whole) return Status::invalid_argument(rank);
    }
    MergeOrder order;
    if (!order.splits.append(splits, token_count) || (ids && !order.ids.append(ids, token_count)) ||
        (priorities && !order.priorities.append(priorities, token_count))) {
        return Status::out_of_memory();
    }
    return set_order(std::move(vocabulary), std::move(order), unmatched);
}

Status Compiler::set_order(Tokens vocabulary, MergeOrder order, std::span<const u32> unmatched) {
    Buffer<u32> ranks, never;
    ReorderedTokens ranked;
    if (!never.append(unmatched.data(), unmatched.size())) return Status::out_of_memory();
    if (!order.ids.empty()) {
        const TokenList tokens = {vocabulary.bytes.data(), vocabulary.offsets.data(), vocabulary.count};
        if (!invert(order.ids.data(), vocabulary.count, &ranks)) {
            return ranks.size() < vocabulary.count ? Status::out_of_memory() : Status{CRAYON_INVALID_ARGUMENT, layout::kIds, 0};
        }
        if (!ranked.make(tokens, order.ids.data())) return Status::out_of_memory();
    }
    set(std::move(vocabulary), layout::kBpe, 0);
    splits_ = std::move(order.splits);
    ids_ = std::move(order.ids);
    ranks_ = std::move(ranks);
    ranked_ = std::move(ranked);
    unmatched_ = std::move(never);
    priorities_ = std::move(order.priorities);
    return {};
}

Status Compiler::set_hidden(const layout::HiddenTokens& hidden) {
    const u32 first = hidden.visible_count;
    const bool has_unknown = hidden.unknown_id != kNone;
    if (!is_bpe() || first == 0 || first > model_.token_count || (has_unknown && hidden.unknown_id >= first) ||
        !layout::are_possible(hidden) || hidden.reserved != 0) {
        return Status::invalid_argument(first);
    }
    for (u32 id = first; id < model_.token_count; ++id) {
        const u32 length = tokens().length(id);
        const u32 least = layout::hides_bytes(hidden) ? 1 : 2;
        if (length < least || length > layout::longest_hidden(hidden)) return Status::invalid_argument(id);
    }
    hidden_ = hidden;
    return {};
}

// The vocabulary with its splits.
Status Compiler::make_bpe(BpeVocabulary* vocabulary) {
    Status status;
    if (splits_.empty()) status = build_splits(tokens(), table_, &splits_);
    if (!status.ok()) {
        splits_.clear();
        return status;
    }
    *vocabulary = {tokens(), tokens(), splits_.data()};
    vocabulary->unmatched = {unmatched_.data(), unmatched_.size()};
    if (ids_.empty()) return {};
    vocabulary->ranked = ranked_.tokens();
    vocabulary->ids = ids_.data();
    vocabulary->ranks = ranks_.data();
    return {};
}

Status Compiler::set_longest_match(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count, u32 unknown,
                                   std::span<const u32> unmatched) {
    Tokens vocabulary;
    Status status = take_tokens(bytes, byte_count, offsets, token_count, &vocabulary);
    if (!status.ok()) return status;
    const TokenList tokens = {vocabulary.bytes.data(), vocabulary.offsets.data(), vocabulary.count};
    const u32 unknown_id = unknown & ~layout::kUnknownBytes;
    if (unknown != kNone && (unknown_id >= tokens.count || tokens.length(unknown_id) == 0)) {
        return Status::invalid_argument(token_count);
    }
    Buffer<u32> own_unmatched;
    const bool allocated =
        unmatched.empty() ? find_lossy_repeats(tokens, &own_unmatched) : own_unmatched.append(unmatched.data(), unmatched.size());
    if (!allocated) return Status::out_of_memory();
    SortedTokens sorted;
    status = MatchedTokens{tokens, {own_unmatched.data(), own_unmatched.size()}}.sort(&sorted);
    if (!status.ok()) return status;
    set(std::move(vocabulary), layout::kLongestMatch, unknown);
    unmatched_ = std::move(own_unmatched);
    return {};
}

Status Compiler::keep_dat(const u8* bytes, size_t length) {
    return dat_.assign(bytes, length) ? Status{} : Status::out_of_memory();
}

Status Compiler::set_metadata(std::string_view json) {
    if (json.size() < 2 || json.front() != '{' || json.back() != '}') return Status::invalid_argument(0);
    Buffer<char> copy;
    if (!copy.append(json.data(), json.size())) return Status::out_of_memory();
    metadata_ = std::move(copy);
    return {};
}

Status Compiler::set_pattern(const u8* bytes, size_t length) {
    if (length < sizeof(layout::Pattern)) return Status::invalid_argument(0);
    return pattern_.assign(bytes, length) ? Status{} : Status::out_of_memory();
}

Status Compiler::set_program(const u8* bytes, size_t length) {
    if (length < sizeof(layout::NormalizerProgram)) return Status::invalid_argument(0);
    return program_.assign(bytes, length) ? Status{} : Status::out_of_memory();
}

Status Compiler::set_words(std::span<const layout::WordRange> ranges) {
    for (size_t i = 0; i < ranges.size(); ++i) {
        const auto [first, last] = ranges[i];
        if (first > last || last > layout::kLastCodePoint || (i > 0 && first <= ranges[i - 1].last))
            return Status::invalid_argument(i);
    }
    return words_.assign(ranges.data(), ranges.size()) ? Status{} : Status::out_of_memory();
}

Status Compiler::add_view(std::string_view name, std::string_view pretokenizer) {
    const u32 number = layout::pretokenizer_named(pretokenizer);
    return number == 0 ? Status{CRAYON_UNKNOWN_SCANNER, 0, 0} : add_view(name, static_cast<layout::Pretokenizer>(number));
}

Status Compiler::add_view(std::string_view name, layout::Pretokenizer pretokenizer) {
    if (name.empty() || name.size() > kMaxStrings - view_strings_.size() || views_.size() == layout::kMaxViews) {
        return Status::invalid_argument(0);
    }
    for (const View& view : views_) {
        if (view_of(view_strings_.data() + view.name_offset, view.name_length) == name) return Status::invalid_argument(0);
    }
    View view{};
    view.name_offset = static_cast<u32>(view_strings_.size());
    view.name_length = static_cast<u32>(name.size());
    view.pretokenizer = pretokenizer;
    view.unicode = layout::kUnicode16;
    view.first_added = static_cast<u32>(added_.size());
    if (!views_.reserve(views_.size() + 1) || !templates_.reserve(views_.size() + 1) || !append(name, &view_strings_) ||
        !views_.push_back(view) || !templates_.push_back({0, 0})) {
        return Status::out_of_memory();
    }
    return {};
}

Status Compiler::set_normalizer(u32 normalizer) {
    if (views_.empty() || views_.back().added_count > 0 || normalizer > layout::kLastNormalizer)
        return Status::invalid_argument(0);
    views_.back().normalizer = normalizer;
    return {};
}

Status Compiler::add_token(std::string_view bytes, u32 id, u32 flags) {
    u32 known_flags = layout::kSpecial | layout::kNormalized | layout::kSingleWord | layout::kNeverFound;
    const bool is_late = !views_.empty() && layout::precedes_tokens(views_.back().normalizer) && (flags & layout::kNormalized);
    if (!is_late) known_flags |= layout::kLstrip | layout::kRstrip;
    if (views_.empty() || bytes.empty() || bytes.size() > layout::kMaxAddedTokenLength ||
        bytes.size() > kMaxStrings - added_strings_.size() || id == kNone || (flags & ~known_flags) != 0) {
        return Status::invalid_argument(id);
    }
    AddedToken token{};
    token.bytes_offset = static_cast<u32>(added_strings_.size());
    token.length = static_cast<u32>(bytes.size());
    token.id = id;
    token.flags = flags;
    const size_t strings = added_strings_.size();
    if (!append(bytes, &added_strings_)) return Status::out_of_memory();
    if (!added_.push_back(token)) {
        added_strings_.truncate(strings);
        return Status::out_of_memory();
    }
    ++views_.back().added_count;
    return {};
}

Status Compiler::set_template(std::span<const u32> prefix, std::span<const u32> suffix) {
    if (views_.empty() || prefix.size() + suffix.size() > kMaxStrings) return Status::invalid_argument(0);
    layout::Template& last = templates_.back();
    if (last.prefix_count + last.suffix_count > 0) return Status::invalid_argument(0);
    if (!template_ids_.reserve(template_ids_.size() + prefix.size() + suffix.size()) ||
        !template_ids_.append(prefix.data(), prefix.size()) || !template_ids_.append(suffix.data(), suffix.size())) {
        return Status::out_of_memory();
    }
    last = {static_cast<u32>(prefix.size()), static_cast<u32>(suffix.size())};
    return {};
}

Status Compiler::check_added_tokens() const {
    for (const AddedToken& added : added_) {
        const bool is_plain = !layout::has_normalizers(model_.kind);
        if (!is_bpe() && added.id >= (is_plain ? layout::kFirstReservedId : layout::kFirstMarkedId))
            return Status::invalid_argument(added.id);
        const u32 known = is_plain ? u32{layout::kSpecial} : model_.kind == layout::kGeneral ? ~0u : ~u32{layout::kSingleWord};
        if ((added.flags & ~known) != 0) return Status::invalid_argument(added.id);
        if (added.id >= visible_count() && visible_count() < model_.token_count) return Status::invalid_argument(added.id);
        // A token of the general path may have any other one's id, as in the reference.
        const bool is_free = model_.kind == layout::kGeneral || added.id >= model_.token_count || tokens().length(added.id) == 0;
        if (is_free) continue;
        const std::string_view token = view_of(tokens().token(added.id), tokens().length(added.id));
        if (token != view_of(added_strings_.data() + added.bytes_offset, added.length)) return Status::invalid_argument(added.id);
    }
    return {};
}

u32 Compiler::vocabulary_size(const View& view) const {
    u32 size = visible_count();
    for (u32 i = 0; i < view.added_count; ++i) size = std::max(size, added_[view.first_added + i].id + 1);
    return size;
}

// Empty if no view has a template.
Status Compiler::make_templates_section(Buffer<u8>* section) const {
    if (template_ids_.empty()) return {};
    const u32* id = template_ids_.data();
    for (size_t i = 0; i < views_.size(); ++i) {
        const u32 size = vocabulary_size(views_[i]), count = templates_[i].prefix_count + templates_[i].suffix_count;
        for (const u32* const end = id + count; id < end; ++id) {
            if (*id >= size) return Status::invalid_argument(*id);
        }
    }
    bool allocated = true;
    for (const layout::Template& row : templates_) allocated = allocated && append_row(row, section);
    for (const u32 each : template_ids_) allocated = allocated && append_row(each, section);
    return allocated ? Status{} : Status::out_of_memory();
}

Status Compiler::make_views_section(Buffer<u8>* section) const {
    const layout::RowCount size = {static_cast<u32>(views_.size()), static_cast<u32>(view_strings_.size())};
    bool allocated = append_row(size, section);
    for (View view : views_) {
        view.vocabulary_size = vocabulary_size(view);
        allocated = allocated && append_row(view, section);
    }
    allocated = allocated && section->append(view_strings_.data(), view_strings_.size());
    return allocated ? Status{} : Status::out_of_memory();
}

// Appends the rows of a view by id, and their order by bytes.
Status Compiler::append_added(const View& view, Buffer<AddedToken>* rows, Buffer<u32>* sorted) const {
    const AddedToken* const added = added_.data() + view.first_added;
    const u32 count = view.added_count;
    Buffer<u32> ids, offsets, row_of;
    if (!ids.resize(count) || !offsets.resize(size_t{count} + 1) || !row_of.resize(count)) return Status::out_of_memory();
    for (u32 i = 0; i < count; ++i) ids[i] = i;
    offsets[count] = 0;
    for (u32 i = 0; i < count; ++i) {
        offsets[i] = added[i].bytes_offset;
        offsets[i + 1] = added[i].bytes_offset + added[i].length;
    }
    SortedTokens by_bytes;
    const Status status = by_bytes.sort({added_strings_.data(), offsets.data(), count}, ids);
    if (status.code == CRAYON_DUPLICATE_TOKEN) return {status.code, 0, added[status.position].id};
    if (!status.ok()) return status;
    // Of several tokens with one id, the first stays first.
    std::sort(ids.begin(), ids.end(),
              [added](u32 a, u32 b) { return added[a].id != added[b].id ? added[a].id < added[b].id : a < b; });
    bool allocated = true;
    for (u32 row = 0; row < count; ++row) {
        row_of[ids[row]] = row;
        allocated = allocated && rows->push_back(added[ids[row]]);
    }
    for (u32 i = 0; i < count; ++i) allocated = allocated && sorted->push_back(row_of[by_bytes.ids()[i]]);
    return allocated ? Status{} : Status::out_of_memory();
}

Status Compiler::make_added_tokens_section(Buffer<u8>* section) const {
    Buffer<AddedToken> rows;
    Buffer<u32> sorted;
    for (const View& view : views_) {
        if (Status status = append_added(view, &rows, &sorted); !status.ok()) return status;
    }
    const layout::RowCount size = {static_cast<u32>(rows.size()), static_cast<u32>(added_strings_.size())};
    bool allocated = append_row(size, section);
    for (const AddedToken& row : rows) allocated = allocated && append_row(row, section);
    for (const u32 row : sorted) allocated = allocated && append_row(row, section);
    allocated = allocated && section->append(added_strings_.data(), added_strings_.size());
    return allocated ? Status{} : Status::out_of_memory();
}

Status Compiler::make_words_section(Buffer<u32>* section) const {
    bool allocated = section->push_back(static_cast<u32>(words_.size()));
    for (const auto [first, last] : words_) allocated = allocated && section->push_back(first) && section->push_back(last);
    return allocated ? Status{} : Status::out_of_memory();
}

// The sections that the slim and the full form share.
Status Compiler::prepare(Parts* parts) {
    if (model_.token_count == 0 || views_.empty()) return Status::invalid_argument(0);
    if (metadata_.empty() && !metadata_.append("{}", 2)) return Status::out_of_memory();

    Status status = check_added_tokens();
    if (status.ok()) status = make_views_section(&parts->views);
    if (status.ok()) status = make_added_tokens_section(&parts->added);
    if (status.ok()) status = make_templates_section(&parts->templates);
    parts->sections[0] = section_of(layout::kMetadata, metadata_);
    parts->sections[1] = {layout::kModel, &model_, sizeof model_};
    parts->sections[2] = section_of(layout::kViews, parts->views);
    parts->sections[3] = section_of(layout::kAddedTokens, parts->added);
    parts->count = 4;
    const bool has_pattern = std::any_of(views_.begin(), views_.end(),
                                         [](const View& view) { return view.pretokenizer == layout::kPatternPretokenizer; });
    if (has_pattern && pattern_.empty()) return Status::invalid_argument(0);
    if (has_pattern) parts->sections[parts->count++] = section_of(layout::kPattern, pattern_);
    const bool has_program =
        std::any_of(views_.begin(), views_.end(), [](const View& view) { return view.normalizer == layout::kProgramNormalizer; });
    if (has_program && program_.empty()) return Status::invalid_argument(0);
    if (has_program) parts->sections[parts->count++] = section_of(layout::kProgram, program_);
    const bool has_words = std::any_of(added_.begin(), added_.end(),
                                       [](const AddedToken& token) { return (token.flags & layout::kSingleWord) != 0; });
    if (has_words) {
        if (words_.empty()) return Status::invalid_argument(0);
        if (status.ok()) status = make_words_section(&parts->words);
        parts->sections[parts->count++] = section_of(layout::kWords, parts->words);
    }
    if (hidden_.visible_count) parts->sections[parts->count++] = {layout::kHidden, &hidden_, sizeof hidden_};
    if (!priorities_.empty()) parts->sections[parts->count++] = section_of(layout::kPriorities, priorities_);
    if (is_of_trie()) {
        parts->sections[parts->count++] = section_of(model_.kind == layout::kGeneral   ? layout::kGeneralSection
                                                     : model_.kind == layout::kUnigram ? layout::kScores
                                                                                       : layout::kWordPieces,
                                                     rules_);
    }
    if (!parts->templates.empty()) parts->sections[parts->count++] = section_of(layout::kTemplates, parts->templates);
    return status;
}

Status Compiler::finish(const OwnedBytes** file) {
    Parts parts;
    Status status = prepare(&parts);
    if (!status.ok()) return status;
    if (is_bpe()) {
        BpeVocabulary vocabulary;
        status = make_bpe(&vocabulary);
        if (status.ok()) status = write_bpe_cartridge(parts.common(), vocabulary, &file_);
    } else if (is_of_trie()) {
        status = write_trie_cartridge(parts.common(), matched(), &file_);
    } else {
        status = write_longest_match_cartridge(parts.common(), matched(), &file_);
    }
    if (status.ok()) *file = &file_;
    return status;
}

Status Compiler::finish_slim(const OwnedBytes** file) {
    Parts parts;
    Status status = prepare(&parts);
    if (!status.ok()) return status;
    if (is_bpe()) {
        BpeVocabulary vocabulary;
        Buffer<u8> merges;
        Buffer<SectionBytes> sections;
        Buffer<u32> counted;
        status = make_bpe(&vocabulary);
        if (status.ok()) status = write_merge_list(vocabulary.ranked, vocabulary.splits, &merges);
        if (!status.ok()) return status;
        const bool allocated = sections.append(parts.sections, parts.count) &&
                               sections.push_back(section_of(layout::kMerges, merges)) &&
                               add_order(vocabulary, &sections, &counted);
        status = allocated ? write_cartridge({sections.data(), sections.size()}, &file_) : Status::out_of_memory();
    } else {
        status = write_slim_longest_match_cartridge(parts.common(), matched(), &file_);
    }
    if (status.ok()) *file = &file_;
    return status;
}

Status Compiler::finish_dat(const OwnedBytes** file) {
    if (model_.kind != layout::kLongestMatch || model_.token_count == 0) return Status::invalid_argument(0);
    Status status;
    if (dat_.empty()) {
        status = write_dat(matched(), &file_);
    } else if (!OwnedBytes::copy(dat_.data(), dat_.size(), &file_)) {
        status = Status::out_of_memory();
    }
    if (status.ok()) *file = &file_;
    return status;
}

}  // namespace crayon
