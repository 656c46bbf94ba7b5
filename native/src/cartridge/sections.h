// Reads the sections of a cartridge: the second part of the validator.
//
// Everything whose size does not grow with the vocabulary (rows, headers of tables, names) is checked here; for the
// long tables there are TableChecks, which the validator runs in its pass over the bytes.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"
#include "cartridge/section_table.h"
#include "cartridge/table_check.h"
#include "kernels/kernel.h"

namespace crayon {

class Sections {
public:
    explicit Sections(const Kernel& kernel) : kernel_(kernel) {}

    // `table`: the checked section table of `data`. MISSING_SECTION or CORRUPT_STRUCTURE. Cost: the rows of views and added
    // tokens.
    Status read(const u8* data, const SectionTable& table);
    // The sections of a slim file except kMerges.
    Status read_slim(const u8* data, const SectionTable& table);

    // Checks the rules of each element of the long tables in [begin, end) of the file. The ends are multiples of 64 or
    // the end of the file.
    Status check(u64 begin, u64 end);
    // After the whole file: the rules of more than one element. The longest token has the length that the model states; BPE: each
    // single byte is a token; longest match: neither the unknown id nor an unmatched one belongs to a hole.
    Status check_tokens() const;

    // Of models that some modules lack (module_features.h), after the sections that all models have.
    Status read_dna(const SectionRange* sections);
    Status read_trie_model(const SectionTable& table, bool is_slim, SectionRange* sections);

    const CartridgeContents& contents() const { return contents_; }
    // The number of tokens that callers see.
    u32 visible_count() const {
        return contents_.bpe.hidden ? contents_.bpe.hidden->visible_count : contents_.tokens.token_count;
    }

private:
    bool has_pattern() const;
    bool has_words() const;
    u32 of_words() const { return has_words() ? u32{1} << layout::kWords : 0; }
    u32 of_pattern() const { return has_pattern() ? u32{1} << layout::kPattern : 0; }
    Status begin(const u8* data, const SectionTable& table, SectionRange* sections);
    Status find(const SectionTable& table, u32 ids, SectionRange* sections) const;
    static u32 find_order(const SectionTable& table, bool is_slim, SectionRange* sections);
    Status find_no_others(const SectionTable& table, u32 ids) const;
    Status read_bpe(const SectionRange* sections);
    Status read_longest_match(const SectionRange* sections, bool is_slim);
    // In word_sections.cpp.
    Status read_word_pieces(SectionRange section);
    Status read_scores(SectionRange section);
    // In general_section.cpp.
    Status read_general(SectionRange section);
    Status check_scores() const;
    Status check_single_bytes() const;
    Status check_hidden() const;
    Status read_common(const SectionRange* sections);
    Status read_metadata(SectionRange section);
    Status read_model(SectionRange section);
    Status read_hidden(SectionRange section);
    Status read_priorities(SectionRange section);
    Status read_program(SectionRange section);
    u32 of_program() const { return contents_.program ? u32{1} << layout::kProgram : 0; }
    Status read_added_tokens(SectionRange section);
    Status read_views(SectionRange section);
    Status check_sorted(const layout::View& view) const;
    Status read_templates(SectionRange section);
    Status read_words_and_pattern(const SectionRange* sections);
    Status read_words(SectionRange section);
    Status read_tokens(SectionRange offsets, SectionRange bytes);
    Status read_splits(SectionRange section);
    Status read_trie(SectionRange section, DoubleArrayView* out);
    Status read_ids(SectionRange section, std::span<const u32>* out);
    Status read_order(SectionRange section, const u32** out);
    template <class Entry>
    Status read_perfect_hash(SectionRange section, TableRule rule, PerfectHashView<Entry>* out);

    template <class Row>
    const Row* at(u64 offset) const {
        return reinterpret_cast<const Row*>(data_ + offset);
    }
    // The greatest id is that of the model; rules with other bounds set theirs.
    TableCheck& add(TableRule rule, u32 element_bytes, u32 section, u64 offset, u64 count);

    static constexpr u32 kMaxChecks = 10;

    const Kernel& kernel_;
    const u8* data_ = nullptr;
    u64 model_offset_ = 0;
    u32 added_string_bytes_ = 0;
    CartridgeContents contents_;
    TableCheck checks_[kMaxChecks];
    u32 check_count_ = 0;
};

}  // namespace crayon
