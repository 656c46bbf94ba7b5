// Compiles a DNA vocabulary to a cartridge.
//
// Invariant: the result of finish() passes the validator, and the same calls give the same bytes. It shares no code with
// Compiler, so that a DNA-only module stays small.
#pragma once

#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/dna.h"

namespace crayon {

class DnaCompiler {
public:
    // INVALID_ARGUMENT for numbers out of range for any vocabulary.
    Status set_rules(const crayon_dna_rules& rules);
    // INVALID_ARGUMENT (offsets that do not ascend from 0 to byte_count, a token longer than layout::kMaxTokenLength; the
    // index in `position`), VOCABULARY_TOO_LARGE. Holes after the last token are dropped.
    Status set_tokens(const u8* bytes, u32 byte_count, const u32* offsets, u32 token_count);
    Status set_bases(const u32* ids, const u32* start_ids);
    Status set_kmers(std::span<const u8> digits, std::span<const u32> ids);
    Status set_template(std::span<const u32> before, std::span<const u32> after);
    // INVALID_ARGUMENT unless it begins with { and ends with }.
    Status set_metadata(std::string_view json);
    Status set_name(std::string_view name);
    // `flags`: layout::kLstrip. INVALID_ARGUMENT for no bytes, too many bytes, the id 0xFFFFFFFF or another flag;
    // DUPLICATE_TOKEN for repeated bytes.
    Status add_special(std::string_view bytes, u32 id, u32 flags);

    // INVALID_ARGUMENT if something is missing or contradicts the rest; `position` has the id if it is not below the
    // vocabulary size or belongs to a special token with other bytes. The file's bytes stay valid until the next call.
    Status finish(const OwnedBytes** file);

private:
    std::string_view special_bytes(const layout::AddedToken& token) const {
        return {reinterpret_cast<const char*>(special_bytes_.data()) + token.bytes_offset, token.length};
    }
    std::string_view token(u32 id) const {
        return {reinterpret_cast<const char*>(token_bytes_.data()) + token_offsets_[id],
                token_offsets_[id + 1] - token_offsets_[id]};
    }
    Status check_specials() const;
    Status check_ids(u32 vocabulary_size) const;
    u32 greatest_id() const;
    Status make_views(u32 vocabulary_size, Buffer<u8>* section) const;
    Status make_added_tokens(Buffer<u8>* section) const;
    Status make_dna(Buffer<u8>* section) const;

    layout::DnaRules rules_{};
    layout::Model model_{};
    u32 vocabulary_size_ = 0;
    Buffer<u8> token_bytes_;
    Buffer<u32> token_offsets_;
    Buffer<u32> base_ids_, start_ids_, kmer_ids_, before_, after_;
    Buffer<layout::AddedToken> specials_;  // ascending by id
    Buffer<u8> special_bytes_;
    Buffer<char> metadata_;
    Buffer<char> name_;
    OwnedBytes file_;
};

}  // namespace crayon
