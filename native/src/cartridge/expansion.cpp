#include "cartridge/expansion.h"

#include <algorithm>

#include "cartridge/checksum.h"
#include "cartridge/section_table.h"
#include "cartridge/sections.h"
#include "tables/cartridge_writer.h"
#include "tables/merge_list.h"
#include "tables/rank_table.h"

namespace crayon {

bool is_slim(const u8* data, u64 length) {
    SectionTable table;
    if (!SectionTable::identify(data, length).ok() || !table.read(data, length).ok()) return false;
    if (table.find(layout::kMerges).present()) return true;
    const SectionRange model = table.find(layout::kModel);
    if (model.length != sizeof(layout::Model)) return false;
    const u32 kind = reinterpret_cast<const layout::Model*>(data + model.offset)->kind;
    return (kind == layout::kLongestMatch || layout::is_of_trie(kind)) && !table.find(layout::kTrie).present() &&
           !table.find(layout::kJoinedBytes).present();
}

namespace {

// Whether each byte is a token that is matched.
bool has_all_bytes(const BpeVocabulary& vocabulary) {
    if (vocabulary.unmatched.empty()) return true;  // the merge list has them
    const TokenList& tokens = vocabulary.tokens;
    Matched matched(vocabulary.unmatched);
    bool has[256] = {};
    for (u32 id = 0; id < tokens.count; ++id) {
        if (matched(id) && tokens.length(id) == 1) has[*tokens.token(id)] = true;
    }
    return std::all_of(std::begin(has), std::end(has), [](bool each) { return each; });
}

// Whether the hidden tokens can be hidden. The validator would report a position in the expanded file, which callers do not have.
bool may_hide(const layout::HiddenTokens& hidden, const BpeVocabulary& vocabulary) {
    Matched matched(vocabulary.unmatched);
    for (u32 id = 0; id < vocabulary.tokens.count; ++id) {
        const bool is_matched = matched(id);
        if (id < hidden.visible_count) continue;
        const u32 length = vocabulary.tokens.length(id);
        if (length < 1 || length > layout::longest_hidden(hidden)) return false;
        if (length == 1 && is_matched && !layout::hides_bytes(hidden)) return false;
    }
    return true;
}

Status expand_bpe(const u8* data, const SectionTable& table, const BpeView& view, std::span<const SectionBytes> common,
                  OwnedBytes* full) {
    const SectionRange merges = table.find(layout::kMerges), model = table.find(layout::kModel);
    MergedTokens merged;
    Status status = read_merge_list(data + merges.offset, merges.length, merges.offset,
                                    *reinterpret_cast<const layout::Model*>(data + model.offset), &merged);
    if (!status.ok()) return status;
    BpeVocabulary vocabulary = {merged.tokens(), merged.tokens(), merged.splits.data()};
    Buffer<u32> ranks;
    ReorderedTokens by_id;
    if (view.ids) {
        if (!invert(view.ids, vocabulary.ranked.count, &ranks)) {
            if (ranks.size() < vocabulary.ranked.count) return Status::out_of_memory();
            return corrupt(layout::kIds, table.find(layout::kIds).offset);
        }
        if (!by_id.make(vocabulary.ranked, ranks.data())) return Status::out_of_memory();
        vocabulary.tokens = by_id.tokens();
        vocabulary.ids = view.ids;
        vocabulary.ranks = ranks.data();
    }
    vocabulary.unmatched = view.unmatched;
    if (!has_all_bytes(vocabulary)) return corrupt(layout::kUnmatched, table.find(layout::kUnmatched).offset);
    if (view.hidden && !may_hide(*view.hidden, vocabulary)) return corrupt(layout::kHidden, table.find(layout::kHidden).offset);
    status = write_bpe_cartridge(common, vocabulary, full);
    // Duplicate tokens, or more than a table can address: the list is corrupt.
    if (!status.ok() && status.code != CRAYON_OUT_OF_MEMORY) return corrupt(merges.id, merges.offset);
    return status;
}

Status expand_longest_match(const u8* data, u64 length, Sections* sections, std::span<const SectionBytes> common,
                            OwnedBytes* full) {
    Status status = sections->check(0, length);
    if (status.ok()) status = sections->check_tokens();
    if (!status.ok()) return status;
    const LongestMatchView& view = sections->contents().longest_match;
    const MatchedTokens tokens = {{view.token_bytes, view.token_offsets, view.token_count}, view.unmatched};
    status = layout::is_of_trie(sections->contents().model_kind) ? write_trie_cartridge(common, tokens, full)
                                                                 : write_longest_match_cartridge(common, tokens, full);
    if (!status.ok() && status.code != CRAYON_OUT_OF_MEMORY) {
        return corrupt(layout::kTokenBytes, static_cast<u64>(view.token_bytes - data));
    }
    return status;
}

}  // namespace

Status expand_slim(const u8* data, u64 length, bool verify_checksum, OwnedBytes* full, Buffer<layout::Section>* rows) {
    if (verify_checksum) {
        Checksum checksum;
        checksum.update(data, length);
        if (checksum.finish() != reinterpret_cast<const layout::Header*>(data)->checksum) {
            return {CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset};
        }
    }
    SectionTable table;
    Sections sections(*kernel_at(0));
    Status status = table.read(data, length);
    if (status.ok()) status = sections.read_slim(data, table);
    if (!status.ok()) return status;
    if (!rows->assign(table.rows().data(), table.rows().size())) return Status::out_of_memory();

    Buffer<SectionBytes> found;
    for (const layout::SectionId id : {layout::kMetadata, layout::kModel, layout::kViews, layout::kAddedTokens, layout::kPattern,
                                       layout::kTemplates, layout::kWords, layout::kProgram, layout::kHidden, layout::kPriorities,
                                       layout::kWordPieces, layout::kScores, layout::kGeneralSection}) {
        const SectionRange section = table.find(id);
        if (!section.present()) continue;
        if (!found.push_back({id, data + section.offset, static_cast<size_t>(section.length)})) return Status::out_of_memory();
    }
    const std::span<const SectionBytes> common = {found.data(), found.size()};
    return sections.contents().model_kind == layout::kBpe ? expand_bpe(data, table, sections.contents().bpe, common, full)
                                                          : expand_longest_match(data, length, &sections, common, full);
}

}  // namespace crayon
