#include "cartridge/sections.h"

#include <algorithm>
#include <cstddef>

#include "crayon/layout/marked_ids.h"
#include "module_features.h"

namespace crayon {

using layout::AddedToken;
using layout::RowCount;
using layout::View;

namespace {

constexpr u32 bit(layout::SectionId id) { return u32{1} << id; }
constexpr u32 bits(layout::SectionId first, layout::SectionId last) { return 2 * bit(last) - bit(first); }

constexpr u32 kOfAll = bits(layout::kMetadata, layout::kAddedTokens);
constexpr u32 kMayBe = bit(layout::kTemplates);
constexpr u32 kOfBpe = kOfAll | bits(layout::kTokenOffsets, layout::kCrossings);
constexpr u32 kOfSlimBpe = kOfAll | bit(layout::kMerges);
constexpr u32 kOfOrder = bit(layout::kIds) | bit(layout::kRanks);
constexpr u32 kOfSlimLongestMatch = kOfAll | bit(layout::kTokenOffsets) | bit(layout::kTokenBytes) | bit(layout::kUnmatched);
constexpr u32 kOfLongestMatch = kOfSlimLongestMatch | bit(layout::kTrie) | bit(layout::kJoinedBytes);
constexpr u32 kKnownFlags = layout::kSpecial | layout::kNormalized | layout::kLstrip | layout::kRstrip | layout::kNeverFound;
constexpr u32 kOfDna = kOfAll | bit(layout::kTokenOffsets) | bit(layout::kTokenBytes) | bit(layout::kDna);

Status missing(SectionRange section) { return {CRAYON_FEATURE_MISSING, section.id, section.offset}; }

}  // namespace

Status Sections::read(const u8* data, const SectionTable& table) {
    SectionRange sections[layout::kLastSection + 1];
    Status status = begin(data, table, sections);
    if (!status.ok()) return status;
    const layout::ModelKind kind = contents_.model_kind;
    if (layout::is_of_trie(kind)) {
        if (!kFeatures.read_trie_model) return missing(sections[layout::kModel]);
        return (this->*kFeatures.read_trie_model)(table, false, sections);
    }
    const u32 model_ids = kind == layout::kBpe        ? kOfBpe | find_order(table, false, sections)
                          : kind == layout::kDnaModel ? kOfDna
                                                      : kOfLongestMatch;
    const u32 ids = model_ids | of_pattern() | of_words() | of_program();
    status = find(table, ids, sections);
    if (status.ok()) status = find_no_others(table, ids);
    if (status.ok()) status = read_words_and_pattern(sections);
    if (!status.ok()) return status;
    if (kind == layout::kBpe) return read_bpe(sections);
    if (kind == layout::kLongestMatch) return read_longest_match(sections, false);
    if (!kFeatures.read_dna) return {CRAYON_UNKNOWN_SECTION, layout::kDna, sections[layout::kDna].offset};
    return (this->*kFeatures.read_dna)(sections);
}

// What the file has whatever its model is.
Status Sections::begin(const u8* data, const SectionTable& table, SectionRange* sections) {
    data_ = data;
    contents_.sections = table.rows();
    Status status = find(table, kOfAll, sections);
    sections[layout::kHidden] = table.find(layout::kHidden);
    sections[layout::kProgram] = table.find(layout::kProgram);
    if (status.ok()) status = read_common(sections);
    return status.ok() ? read_templates(table.find(layout::kTemplates)) : status;
}

// The omitted tables must be missing: they could contradict the expanded ones.
Status Sections::read_slim(const u8* data, const SectionTable& table) {
    SectionRange sections[layout::kLastSection + 1];
    Status status = begin(data, table, sections);
    if (!status.ok()) return status;
    if (layout::is_of_trie(contents_.model_kind)) {
        if (!kFeatures.read_trie_model) return missing(sections[layout::kModel]);
        return (this->*kFeatures.read_trie_model)(table, true, sections);
    }
    const bool is_bpe = contents_.model_kind == layout::kBpe;
    const u32 model_ids = is_bpe ? kOfSlimBpe | find_order(table, true, sections) : kOfSlimLongestMatch;
    status = find(table, (is_bpe ? 0 : kOfSlimLongestMatch) | of_pattern() | of_words() | of_program(), sections);
    if (status.ok()) status = find_no_others(table, model_ids | of_pattern() | of_words() | of_program());
    if (status.ok()) status = read_words_and_pattern(sections);
    if (status.ok() && !is_bpe) return read_longest_match(sections, true);
    BpeView& bpe = contents_.bpe;
    if (status.ok() && sections[layout::kIds].present()) status = read_order(sections[layout::kIds], &bpe.ids);
    if (status.ok() && sections[layout::kUnmatched].present()) {
        status = read_ids(sections[layout::kUnmatched], &bpe.unmatched);
    }
    return status.ok() ? read_priorities(sections[layout::kPriorities]) : status;
}

bool Sections::has_pattern() const {
    return std::any_of(contents_.view_rows.begin(), contents_.view_rows.end(),
                       [](const View& view) { return view.pretokenizer == layout::kPatternPretokenizer; });
}

bool Sections::has_words() const {
    return std::any_of(contents_.added_rows.begin(), contents_.added_rows.end(),
                       [](const AddedToken& token) { return (token.flags & layout::kSingleWord) != 0; });
}

// `sections` is indexed by id; `ids`: a bit for each.
Status Sections::find(const SectionTable& table, u32 ids, SectionRange* sections) const {
    for (u32 id = 1; id <= layout::kLastSection; ++id) {
        if ((ids >> id & 1) == 0) continue;
        sections[id] = table.find(static_cast<layout::SectionId>(id));
        if (!sections[id].present()) return {CRAYON_MISSING_SECTION, id, table.end()};
    }
    return {};
}

// Finds the sections that a BPE vocabulary may have or not; returns a bit for each that it must then have.
u32 Sections::find_order(const SectionTable& table, bool is_slim, SectionRange* sections) {
    for (const layout::SectionId id : {layout::kUnmatched, layout::kIds, layout::kPriorities}) sections[id] = table.find(id);
    const u32 order = is_slim ? bit(layout::kIds) : kOfOrder;
    return (sections[layout::kUnmatched].present() ? bit(layout::kUnmatched) : 0) |
           (sections[layout::kIds].present() ? order : 0) | (sections[layout::kHidden].present() ? bit(layout::kHidden) : 0) |
           (sections[layout::kPriorities].present() ? bit(layout::kPriorities) : 0);
}

// Sections of another model are an error; unknown ones are not.
Status Sections::find_no_others(const SectionTable& table, u32 ids) const {
    for (u32 row = 0; row < table.rows().size(); ++row) {
        const u32 id = table.rows()[row].id;
        const u64 at = sizeof(layout::Header) + row * sizeof(layout::Section);
        if (layout::is_known_section(id) && ((ids | kMayBe) >> id & 1) == 0)
            return corrupt(0, at + offsetof(layout::Section, id));
    }
    return {};
}

Status Sections::read_bpe(const SectionRange* sections) {
    Status status = read_tokens(sections[layout::kTokenOffsets], sections[layout::kTokenBytes]);
    BpeView& bpe = contents_.bpe;
    static_cast<TokensView&>(bpe) = contents_.tokens;
    if (status.ok()) status = read_perfect_hash(sections[layout::kPieces8], TableRule::kPieces8, &bpe.pieces8);
    if (status.ok()) status = read_perfect_hash(sections[layout::kPieces24], TableRule::kPieces24, &bpe.pieces24);
    if (status.ok()) status = read_perfect_hash(sections[layout::kPiecesLong], TableRule::kPiecesLong, &bpe.pieces_long);
    if (status.ok()) status = read_splits(sections[layout::kSplits]);
    if (status.ok()) status = read_perfect_hash(sections[layout::kPairs], TableRule::kPairs, &bpe.pairs);
    if (status.ok()) status = read_trie(sections[layout::kTrie], &bpe.trie);
    if (status.ok()) status = read_ids(sections[layout::kCrossings], &bpe.crossings);
    if (status.ok() && sections[layout::kUnmatched].present()) {
        status = read_ids(sections[layout::kUnmatched], &bpe.unmatched);
    }
    if (status.ok() && sections[layout::kIds].present()) {
        status = read_order(sections[layout::kIds], &bpe.ids);
        if (status.ok()) status = read_order(sections[layout::kRanks], &bpe.ranks);
    }
    return status.ok() ? read_priorities(sections[layout::kPriorities]) : status;
}

Status Sections::read_longest_match(const SectionRange* sections, bool is_slim) {
    Status status = read_tokens(sections[layout::kTokenOffsets], sections[layout::kTokenBytes]);
    LongestMatchView& view = contents_.longest_match;
    static_cast<TokensView&>(view) = contents_.tokens;
    if (status.ok() && !is_slim) {
        const SectionRange trie = sections[layout::kTrie], joined_bytes = sections[layout::kJoinedBytes];
        status = read_trie(trie, &view.trie);
        if (status.ok() && !view.trie.values) {
            status = corrupt(trie.id, trie.offset + offsetof(layout::DoubleArray, has_values));
        }
        if (layout::is_of_trie(contents_.model_kind))
            return status.ok() ? read_ids(sections[layout::kUnmatched], &view.unmatched) : status;
        if (status.ok() && joined_bytes.length != layout::kJoinedBytesLength)
            status = corrupt(joined_bytes.id, joined_bytes.offset);
        view.joined_bytes = at<u8>(joined_bytes.offset);
    }
    if (status.ok()) status = read_ids(sections[layout::kUnmatched], &view.unmatched);
    return status;
}

Status Sections::read_common(const SectionRange* sections) {
    Status status = read_metadata(sections[layout::kMetadata]);
    if (status.ok()) status = read_model(sections[layout::kModel]);
    if (status.ok()) status = read_hidden(sections[layout::kHidden]);
    if (status.ok()) status = read_added_tokens(sections[layout::kAddedTokens]);
    if (status.ok()) status = read_views(sections[layout::kViews]);
    if (status.ok()) status = read_program(sections[layout::kProgram]);
    return status;
}

TableCheck& Sections::add(TableRule rule, u32 element_bytes, u32 section, u64 offset, u64 count) {
    TableCheck& check = checks_[check_count_++];
    check.broken = kernel_.checks->broken[static_cast<u32>(rule)];
    check.section = section;
    check.element_bytes = element_bytes;
    check.offset = offset;
    check.count = count;
    check.greatest = contents_.tokens.token_count - 1;
    return check;
}

Status Sections::read_metadata(SectionRange section) {
    const char* text = at<char>(section.offset);
    if (section.length < 2 || text[0] != '{' || text[section.length - 1] != '}') return corrupt(section.id, section.offset);
    contents_.metadata = {text, static_cast<size_t>(section.length)};
    return {};
}

Status Sections::read_model(SectionRange section) {
    if (section.length != sizeof(layout::Model)) return corrupt(section.id, section.offset);
    const layout::Model& model = *at<layout::Model>(section.offset);
    if (model.kind < layout::kBpe || model.kind > layout::kGeneral) {
        return corrupt(section.id, section.offset + offsetof(layout::Model, kind));
    }
    const bool is_bpe = model.kind == layout::kBpe, is_dna = model.kind == layout::kDnaModel;
    if (model.token_count < (is_bpe ? 256 : 1) || model.token_count > layout::kMaxTokens) {
        return corrupt(section.id, section.offset + offsetof(layout::Model, token_count));
    }
    if (model.max_token_length < 1 || model.max_token_length > layout::kMaxTokenLength) {
        return corrupt(section.id, section.offset + offsetof(layout::Model, max_token_length));
    }
    LongestMatchView& match = contents_.longest_match;
    if (model.kind == layout::kLongestMatch)
        match.set_unknown(model.unknown_id);
    else if (!is_bpe)
        match.unknown_id = model.unknown_id;
    const u32 unknown_id = match.unknown_id;
    if (is_bpe ? model.unknown_id != 0 : !is_dna && unknown_id != layout::kNone && unknown_id >= model.token_count) {
        return corrupt(section.id, section.offset + offsetof(layout::Model, unknown_id));
    }
    model_offset_ = section.offset;
    contents_.model_kind = static_cast<layout::ModelKind>(model.kind);
    contents_.tokens.token_count = model.token_count;
    contents_.tokens.max_token_length = model.max_token_length;
    contents_.dna.unknown_id = unknown_id;
    return {};
}

// The tokens themselves are checked along with the single bytes.
Status Sections::read_hidden(SectionRange section) {
    if (!section.present()) return {};
    if (section.length != sizeof(layout::HiddenTokens)) return corrupt(section.id, section.offset);
    const layout::HiddenTokens& hidden = *at<layout::HiddenTokens>(section.offset);
    if (hidden.visible_count < 1 || hidden.visible_count > contents_.tokens.token_count) {
        return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, visible_count));
    }
    if (hidden.unknown_id != layout::kNone && hidden.unknown_id >= hidden.visible_count) {
        return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, unknown_id));
    }
    if (!layout::are_possible(hidden)) {
        return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, flags));
    }
    if (hidden.reserved != 0) return corrupt(section.id, section.offset + offsetof(layout::HiddenTokens, reserved));
    contents_.bpe.hidden = &hidden;
    return {};
}

// Any numbers are safe.
Status Sections::read_priorities(SectionRange section) {
    if (!section.present()) return {};
    if (section.length != u64{contents_.tokens.token_count} * sizeof(u32)) return corrupt(section.id, section.offset);
    contents_.bpe.priorities = at<u32>(section.offset);
    return {};
}

// After the views.
Status Sections::read_program(SectionRange section) {
    const bool is_used = std::any_of(contents_.view_rows.begin(), contents_.view_rows.end(),
                                     [](const View& view) { return view.normalizer == layout::kProgramNormalizer; });
    if (is_used != section.present()) return corrupt(layout::kProgram, section.offset);
    if (!is_used) return {};
    if (!kFeatures.read_program) return missing(section);
    contents_.program_length = static_cast<u32>(section.length);
    return kFeatures.read_program(data_, section, &contents_.program);
}

// Only the rows; which views they belong to is checked with the views.
Status Sections::read_added_tokens(SectionRange section) {
    if (section.length < sizeof(RowCount)) return corrupt(section.id, section.offset);
    const RowCount& size = *at<RowCount>(section.offset);
    const u64 rows_at = section.offset + sizeof(RowCount), sorted_at = rows_at + u64{size.count} * sizeof(AddedToken),
              strings_at = sorted_at + u64{size.count} * sizeof(u32);
    if (strings_at + size.string_bytes != section.end()) return corrupt(section.id, section.offset);
    const AddedToken* rows = at<AddedToken>(rows_at);
    for (u32 i = 0; i < size.count; ++i) {
        const u64 row_at = rows_at + i * sizeof(AddedToken);
        if (u64{rows[i].bytes_offset} + rows[i].length > size.string_bytes) {
            return corrupt(section.id, row_at + offsetof(AddedToken, bytes_offset));
        }
        if (rows[i].length == 0 || rows[i].length > layout::kMaxAddedTokenLength) {
            return corrupt(section.id, row_at + offsetof(AddedToken, length));
        }
        if ((rows[i].flags & ~(contents_.model_kind == layout::kGeneral ? kKnownFlags | layout::kSingleWord : kKnownFlags)) !=
            0) {
            return corrupt(section.id, row_at + offsetof(AddedToken, flags));
        }
    }
    contents_.added_rows = {rows, size.count};
    contents_.sorted_rows = at<u32>(sorted_at);
    contents_.added_strings = at<char>(strings_at);
    added_string_bytes_ = size.string_bytes;
    return {};
}

Status Sections::read_views(SectionRange section) {
    if (section.length < sizeof(RowCount)) return corrupt(section.id, section.offset);
    const RowCount& size = *at<RowCount>(section.offset);
    const u64 rows_at = section.offset + sizeof(RowCount), strings_at = rows_at + u64{size.count} * sizeof(View);
    if (size.count == 0 || size.count > layout::kMaxViews || strings_at + size.string_bytes != section.end()) {
        return corrupt(section.id, section.offset);
    }
    const View* rows = at<View>(rows_at);
    const std::span<const AddedToken> added = contents_.added_rows;
    const u64 added_at = reinterpret_cast<const u8*>(added.data()) - data_;
    u64 next_added = 0, name_bytes = 0;
    for (u32 i = 0; i < size.count; ++i) {
        const View& view = rows[i];
        const u64 at = rows_at + i * sizeof(View);
        if (view.name_length == 0 || u64{view.name_offset} + view.name_length > size.string_bytes) {
            return corrupt(section.id, at + offsetof(View, name_offset));
        }
        // Strings that are shared would let a small file state names of any total length.
        name_bytes += view.name_length;
        if (name_bytes > size.string_bytes) return corrupt(section.id, at + offsetof(View, name_length));
        const bool is_bpe = contents_.model_kind == layout::kBpe;
        const bool is_dna = contents_.model_kind == layout::kDnaModel;
        const bool has_normalizers = layout::has_normalizers(contents_.model_kind);
        const u32 first_reserved = is_bpe ? ~u32{0} : has_normalizers ? layout::kFirstMarkedId : layout::kFirstReservedId;
        if (is_dna ? view.pretokenizer != layout::kNoPretokenizer
                   : view.pretokenizer < layout::kGpt2 || view.pretokenizer > layout::kLastPretokenizer) {
            return corrupt(section.id, at + offsetof(View, pretokenizer));
        }
        if (view.unicode != layout::kUnicode16) return corrupt(section.id, at + offsetof(View, unicode));
        if (view.first_added != next_added) return corrupt(section.id, at + offsetof(View, first_added));
        if (next_added + view.added_count > added.size()) return corrupt(section.id, at + offsetof(View, added_count));
        if (view.vocabulary_size < visible_count() || view.vocabulary_size > first_reserved) {
            return corrupt(section.id, at + offsetof(View, vocabulary_size));
        }
        if (view.normalizer > (has_normalizers ? layout::kLastNormalizer : layout::kNoNormalizer)) {
            return corrupt(section.id, at + offsetof(View, normalizer));
        }
        u32 least = 0;
        u64 token_bytes = 0;  // of the view: the time to compare its tokens
        for (; next_added < u64{view.first_added} + view.added_count; ++next_added) {
            const u32 id = added[next_added].id;
            const u64 row_at = added_at + next_added * sizeof(AddedToken);
            if (id < least || id >= view.vocabulary_size) {
                return corrupt(layout::kAddedTokens, row_at + offsetof(AddedToken, id));
            }
            const u32 flags = added[next_added].flags;
            const bool strips = (flags & (layout::kLstrip | layout::kRstrip)) != 0;
            const u32 without_bpe = layout::kSpecial | (contents_.model_kind == layout::kDnaModel ? u32{layout::kLstrip} : 0);
            if (has_normalizers ? strips && layout::precedes_tokens(view.normalizer) && (flags & layout::kNormalized)
                                : (flags & ~without_bpe) != 0) {
                return corrupt(layout::kAddedTokens, row_at + offsetof(AddedToken, flags));
            }
            least = id;
            token_bytes += added[next_added].length;
            if (token_bytes > added_string_bytes_) {
                return corrupt(layout::kAddedTokens, row_at + offsetof(AddedToken, length));
            }
        }
        if (Status status = check_sorted(view); !status.ok()) return status;
    }
    if (next_added != added.size()) {  // rows of no view
        return corrupt(layout::kAddedTokens, added_at + next_added * sizeof(AddedToken));
    }
    contents_.view_rows = {rows, size.count};
    contents_.view_strings = at<char>(strings_at);
    return {};
}

// Ascending bytes differ, so the rows are all of the view's.
Status Sections::check_sorted(const View& view) const {
    const AddedToken* const rows = contents_.added_rows.data() + view.first_added;
    std::string_view before;
    for (u32 i = 0; i < view.added_count; ++i) {
        const u32& row = contents_.sorted_rows[view.first_added + i];
        const u64 position = reinterpret_cast<const u8*>(&row) - data_;
        if (row >= view.added_count) return corrupt(layout::kAddedTokens, position);
        const std::string_view bytes = {contents_.added_strings + rows[row].bytes_offset, rows[row].length};
        if (bytes <= before) return corrupt(layout::kAddedTokens, position);
        before = bytes;
    }
    return {};
}

// After the views. A few ids: checked at once.
Status Sections::read_templates(SectionRange section) {
    if (!section.present()) return {};
    const u64 view_count = contents_.view_rows.size(), ids_at = section.offset + view_count * sizeof(layout::Template);
    if (ids_at > section.end()) return corrupt(section.id, section.offset);
    const layout::Template* rows = at<layout::Template>(section.offset);
    u64 next = ids_at;
    for (u64 i = 0; i < view_count; ++i) {
        const u64 end = next + (u64{rows[i].prefix_count} + rows[i].suffix_count) * sizeof(u32);
        if (end > section.end()) return corrupt(section.id, section.offset + i * sizeof(layout::Template));
        for (; next < end; next += sizeof(u32)) {
            if (*at<u32>(next) >= contents_.view_rows[i].vocabulary_size) return corrupt(section.id, next);
        }
    }
    if (next != section.end()) return corrupt(section.id, next);
    contents_.templates = {rows, static_cast<size_t>(view_count)};
    return {};
}

// What added tokens and pretokenizers refer to.
Status Sections::read_words_and_pattern(const SectionRange* sections) {
    const Status status = has_words() ? read_words(sections[layout::kWords]) : Status{};
    if (!status.ok() || !has_pattern()) return status;
    if (!kFeatures.read_patterns) return missing(sections[layout::kPattern]);
    return kFeatures.read_patterns(data_, sections[layout::kPattern], &contents_.pattern);
}

// A few hundred ranges: checked at once.
Status Sections::read_words(SectionRange section) {
    if (section.length < sizeof(u32)) return corrupt(section.id, section.offset);
    const u32 count = *at<u32>(section.offset);
    const u64 ranges_at = section.offset + sizeof(u32);
    if (ranges_at + u64{count} * sizeof(layout::WordRange) != section.end()) return corrupt(section.id, section.offset);
    const std::span<const layout::WordRange> ranges = {at<layout::WordRange>(ranges_at), count};
    for (u32 i = 0; i < count; ++i) {
        const auto [first, last] = ranges[i];
        if (first > last || last > layout::kLastCodePoint || (i > 0 && first <= ranges[i - 1].last)) {
            return corrupt(section.id, ranges_at + i * sizeof(layout::WordRange));
        }
    }
    contents_.words = ranges;
    return {};
}

Status Sections::read_tokens(SectionRange offsets, SectionRange bytes) {
    TokensView& tokens = contents_.tokens;
    const u64 count = tokens.token_count;
    if (offsets.length != (count + 1) * sizeof(u32)) return corrupt(offsets.id, offsets.offset);
    const u32* offset = at<u32>(offsets.offset);
    if (offset[0] != 0) return corrupt(offsets.id, offsets.offset);
    if (offset[count] != bytes.length) return corrupt(offsets.id, offsets.offset + count * sizeof(u32));
    tokens.token_offsets = offset;
    tokens.token_bytes = at<u8>(bytes.offset);
    tokens.token_byte_count = static_cast<u32>(bytes.length);
    TableCheck& ends = add(TableRule::kTokenEnds, sizeof(u32), offsets.id, offsets.offset + sizeof(u32), count);
    ends.greatest = tokens.max_token_length;
    ends.greatest_other = tokens.token_byte_count;
    return {};
}

Status Sections::read_splits(SectionRange section) {
    BpeView& bpe = contents_.bpe;
    if (section.length != u64{bpe.token_count} * sizeof(layout::Split)) return corrupt(section.id, section.offset);
    bpe.splits = at<layout::Split>(section.offset);
    add(TableRule::kSplits, sizeof(layout::Split), section.id, section.offset, bpe.token_count);
    return {};
}

template <class Entry>
Status Sections::read_perfect_hash(SectionRange section, TableRule rule, PerfectHashView<Entry>* out) {
    using layout::PerfectHash;
    if (section.length < sizeof(PerfectHash)) return corrupt(section.id, section.offset);
    const PerfectHash& header = *at<PerfectHash>(section.offset);
    if (header.slot_count < 1) return corrupt(section.id, section.offset + offsetof(PerfectHash, slot_count));
    if (header.key_count > header.slot_count) return corrupt(section.id, section.offset + offsetof(PerfectHash, key_count));
    if (header.bucket_count < 1) return corrupt(section.id, section.offset + offsetof(PerfectHash, bucket_count));
    if (header.entry_bytes != sizeof(Entry)) return corrupt(section.id, section.offset + offsetof(PerfectHash, entry_bytes));
    const u64 reserved = section.offset + offsetof(PerfectHash, reserved), pilots = section.offset + sizeof(PerfectHash);
    const u64 nonzero = first_nonzero(data_, reserved, pilots);
    if (nonzero != pilots) return corrupt(section.id, nonzero);

    const u64 pilots_end = pilots + header.bucket_count, entries = align_up(pilots_end);
    if (entries + u64{header.slot_count} * sizeof(Entry) != section.end()) return corrupt(section.id, section.offset);
    const u64 padding = first_nonzero(data_, pilots_end, entries);
    if (padding != entries) return corrupt(section.id, padding);

    *out = {header.seed, header.bucket_count, header.slot_count, at<u8>(pilots), at<Entry>(entries)};
    add(rule, sizeof(Entry), section.id, entries, header.slot_count);
    return {};
}

Status Sections::read_trie(SectionRange section, DoubleArrayView* out) {
    using layout::DoubleArray;
    if (section.length < sizeof(DoubleArray)) return corrupt(section.id, section.offset);
    const DoubleArray& header = *at<DoubleArray>(section.offset);
    const u32 count = header.unit_count;
    if (count == 0 || count % 256 != 0 || count > layout::kMaxUnits) {
        return corrupt(section.id, section.offset + offsetof(DoubleArray, unit_count));
    }
    if (header.has_values > 1) return corrupt(section.id, section.offset + offsetof(DoubleArray, has_values));
    const u64 reserved = section.offset + offsetof(DoubleArray, reserved), units = section.offset + sizeof(DoubleArray);
    const u64 nonzero = first_nonzero(data_, reserved, units);
    if (nonzero != units) return corrupt(section.id, nonzero);
    const u64 values = units + u64{count} * sizeof(u32);
    if (values + (header.has_values ? u64{count} * sizeof(u32) : 0) != section.end()) return corrupt(section.id, section.offset);

    DoubleArrayView& trie = *out;
    trie = {at<u32>(units), header.has_values ? at<u32>(values) : nullptr, count};
    for (u32 i = 0; i < 256; ++i) {  // nodes without children have base 0: these units must be vacant
        if (layout::label_of(trie.units[i]) != layout::kVacantLabel) return corrupt(section.id, units + i * sizeof(u32));
    }
    add(TableRule::kTrieUnits, sizeof(u32), section.id, units, count).greatest = count - 1;
    if (header.has_values) add(TableRule::kTrieValues, sizeof(u32), section.id, values, count);
    return {};
}

// Ids by rank, or ranks by id.
Status Sections::read_order(SectionRange section, const u32** out) {
    const u32 count = contents_.tokens.token_count;
    if (section.length != u64{count} * sizeof(u32)) return corrupt(section.id, section.offset);
    *out = at<u32>(section.offset);
    add(TableRule::kTrieValues, sizeof(u32), section.id, section.offset, count);
    return {};
}

// A few hundred ids: checked at once.
Status Sections::read_ids(SectionRange section, std::span<const u32>* out) {
    if (section.length < sizeof(u32)) return corrupt(section.id, section.offset);
    const u32 count = *at<u32>(section.offset);
    const u64 ids_at = section.offset + sizeof(u32);
    if (ids_at + u64{count} * sizeof(u32) != section.end()) return corrupt(section.id, section.offset);
    const std::span<const u32> ids = {at<u32>(ids_at), count};
    for (u32 i = 0; i < count; ++i) {
        if (ids[i] >= contents_.tokens.token_count || (i > 0 && ids[i] <= ids[i - 1])) {
            return corrupt(section.id, ids_at + i * sizeof(u32));
        }
    }
    *out = ids;
    return {};
}

Status TableCheck::run(const u8* data, u64 begin, u64 end) {
    begin = std::max(begin, offset);
    end = std::min(end, offset + count * element_bytes);
    if (begin >= end) return {};
    const u32 first = static_cast<u32>((begin - offset) / element_bytes);
    const u32 elements = static_cast<u32>((end - begin) / element_bytes);
    if (!broken(*this, data + begin, first, elements)) return {};
    u32 element = 0;
    while (element + 1 < elements && !broken(*this, data + begin + u64{element} * element_bytes, first + element, 1)) {
        ++element;
    }
    return {CRAYON_CORRUPT_STRUCTURE, section, begin + u64{element} * element_bytes};
}

Status Sections::check(u64 begin, u64 end) {
    for (TableCheck* check = checks_; check < checks_ + check_count_; ++check) {
        const Status status = check->run(data_, begin, end);
        if (!status.ok()) return status;
    }
    return {};
}

Status Sections::check_tokens() const {
    for (const TableCheck* check = checks_; check < checks_ + check_count_; ++check) {
        if (check->section == layout::kTokenOffsets && !check->attained) {
            return corrupt(layout::kModel, model_offset_ + offsetof(layout::Model, max_token_length));
        }
    }
    if (contents_.model_kind == layout::kDnaModel) return {};
    const bool is_bpe = contents_.model_kind == layout::kBpe;
    if (is_bpe) {
        const Status status = check_single_bytes();
        return status.ok() && contents_.bpe.hidden ? check_hidden() : status;
    }
    if (Status status = check_scores(); !status.ok()) return status;
    // The compiler drops the holes after the last token: their ids would be outside the section that it writes.
    for (const u32& id : contents_.longest_match.unmatched) {
        if (contents_.tokens.token(id).empty()) {
            return corrupt(layout::kUnmatched, reinterpret_cast<const u8*>(&id) - data_);
        }
    }
    const u32 unknown_id = contents_.longest_match.unknown_id;
    if (unknown_id != layout::kNone && contents_.tokens.token(unknown_id).empty()) {
        return corrupt(layout::kModel, model_offset_ + offsetof(layout::Model, unknown_id));
    }
    return {};
}

// A few thousand tokens, so checked in one go.
Status Sections::check_hidden() const {
    const BpeView& bpe = contents_.bpe;
    const layout::HiddenTokens& hidden = *bpe.hidden;
    const auto broken = [&](u32 id) {
        return corrupt(layout::kTokenOffsets, static_cast<u64>(reinterpret_cast<const u8*>(bpe.token_offsets + id) - data_));
    };
    for (u32 id = hidden.visible_count; id < bpe.token_count; ++id) {
        const size_t length = bpe.token(id).size();
        if (length < 1 || length > layout::longest_hidden(hidden)) return broken(id);
    }
    if (layout::hides_bytes(hidden)) return {};
    for (u32 byte = 0; byte < layout::kByteValues; ++byte) {
        if (const u32 id = bpe.id_of_byte(byte); id >= hidden.visible_count) return broken(id);
    }
    return {};
}

Status Sections::check_single_bytes() const {
    const BpeView& bpe = contents_.bpe;
    for (u32 byte = 0; byte < 256; ++byte) {
        const layout::Piece8& entry = bpe.pieces8.entry(layout::hash_word(byte, 1, bpe.pieces8.seed));
        const std::string_view token = bpe.token(entry.id);
        if (entry.key != byte || entry.length != 1 || token.size() != 1 || static_cast<u8>(token[0]) != byte) {
            return corrupt(layout::kPieces8, reinterpret_cast<const u8*>(&entry) - data_);
        }
    }
    return {};
}

}  // namespace crayon
