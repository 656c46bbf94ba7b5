#include "tokenizer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "crayon/layout/pretokenizers.h"
#include "encode/raw_words.h"
#include "general/general.h"
#include "module_features.h"
#include "scan/pattern_breaks.h"
#include "scan/scanner.h"

namespace crayon {

// Modules for pages lack features that few vocabularies need (module_features.h). FEATURE_MISSING if a view needs what this
// module lacks; a module that encodes no texts takes all that encoding alone needs.
static Status check_features(const Cartridge& cartridge, const TokenizerView& view, const Kernel& kernel) {
    if (cartridge.model_kind() == layout::kDnaModel) return {};  // the flags of its added tokens are for its caller
    bool is_here = view.normalizer == layout::kNoNormalizer || kFeatures.make_normalizer;
    if (kernel.texts) {
        const auto takes_text = [](const layout::AddedToken& token) { return (token.flags & ~u32{layout::kSpecial}) != 0; };
        const layout::HiddenTokens* const hidden = cartridge.bpe().hidden;
        const bool ends_words = hidden && (hidden->flags & layout::kEndsWords) != 0;
        is_here = is_here && kernel.scan(view.pretokenizer) && (!ends_words || kFeatures.word_source) &&
                  (kFeatures.normalizing || std::none_of(view.added.begin(), view.added.end(), takes_text));
    }
    return {is_here ? CRAYON_OK : CRAYON_FEATURE_MISSING};
}

Status Tokenizer::create(Cartridge& cartridge, u32 view_index, std::string_view kernel, Tokenizer** out) {
    if (view_index >= cartridge.view_count()) return {CRAYON_UNKNOWN_VIEW};
    const Kernel* row = kernel_named(kernel.data(), kernel.size());
    if (!row) return {CRAYON_UNKNOWN_KERNEL};
    if (Status status = check_features(cartridge, cartridge.view(view_index), *row); !status.ok()) return status;
    Tokenizer* tokenizer = new (std::nothrow) Tokenizer;
    if (!tokenizer) return Status::out_of_memory();
    cartridge.retain();
    tokenizer->cartridge_ = &cartridge;
    tokenizer->view_ = cartridge.view(view_index);
    tokenizer->longest_token_ = cartridge.tokens().max_token_length;
    tokenizer->unknown_id_ = cartridge.longest_match().unknown_id;  // DNA's, too
    if (cartridge.model_kind() == layout::kBpe) {
        const BpeView& tables = cartridge.bpe();
        const bool is_uncut = tokenizer->view_.pretokenizer == layout::kNoPretokenizer;
        tokenizer->bpe_ =
            Bpe(tables, row->texts ? row->texts->least : nullptr, is_uncut ? Bpe::Whole::kIfMerged : Bpe::Whole::kAlways);
        if (is_uncut) tokenizer->joined_bytes_ = JoinedBytes(tables.joined_bytes, 0);
        tokenizer->marks_unknown_ = tokenizer->bpe_.marks_unknown();
        if (tables.hidden) {
            tokenizer->unknown_id_ = tables.hidden->unknown_id;
            tokenizer->ends_words_ = (tables.hidden->flags & layout::kEndsWords) != 0;
        }
    } else if (cartridge.model_kind() == layout::kLongestMatch) {
        const LongestMatchView& tables = cartridge.longest_match();
        tokenizer->longest_match_ = LongestMatch(tables);
        tokenizer->longest_token_ = std::max(tables.max_token_length, 4u);
        tokenizer->joined_bytes_ = JoinedBytes(tables.joined_bytes, tokenizer->longest_token_);
    }
    if (const std::string_view patterns = cartridge.pattern_bytes(); !patterns.empty()) {
        const layout::Pattern* const first = reinterpret_cast<const layout::Pattern*>(patterns.data());
        tokenizer->patterns_ = Patterns(first, patterns.size());
        tokenizer->inner_patterns_ = Patterns(first, patterns.size(), true);
    }
    if (layout::has_normalizers(cartridge.model_kind())) {
        tokenizer->dropped_ = DroppedText(tokenizer->view_.pretokenizer, tokenizer->patterns_, tokenizer->inner_patterns_);
    }
    tokenizer->forms_words_ = cartridge.model_kind() == layout::kBpe &&
                              (tokenizer->dropped_.any() || tokenizer->ends_words_ || tokenizer->inner_patterns_.count > 0);
    tokenizer->added_.set(tokenizer->view_);
    tokenizer->kernel_ = row;
    Status status = tokenizer->make_others();
    if (status.ok() && !tokenizer->general_ && kFeatures.piece_source && tokenizer->model_kind() != layout::kDnaModel) {
        tokenizer->source_ = kFeatures.piece_source(*tokenizer);
        if (!tokenizer->source_) status = Status::out_of_memory();
    }
    if (!status.ok()) {
        tokenizer->release();
        return status;
    }
    tokenizer->scan_ = tokenizer->is_whole() ? scan_whole : row->scan(tokenizer->view_.pretokenizer);
    *out = tokenizer;
    return {};
}

// What only some modules have, for cartridges that only they open.
Status Tokenizer::make_others() {
    Status status;
    if (cartridge_->general()) {
        status = kFeatures.general_tokenizer(*cartridge_, view_, &general_);
    } else if (layout::is_of_trie(model_kind())) {
        status = kFeatures.trie_models(*cartridge_, dropped_, &trie_models_);
        longest_token_ = std::max(longest_token_, 4u);
        marks_unknown_ = true;
    }
    longest_token_ = std::max(longest_token_, added_.longest());
    if (!status.ok() || view_.normalizer == layout::kNoNormalizer) return status;
    status = kFeatures.make_normalizer(view_.normalizer, kernel_->texts->pass_normal, cartridge_->program(), &normalizer_);
    if (status.ok()) status = kFeatures.join_marked(*this, &marked_joined_);
    if (status.ok() && marks_spaces()) joined_bytes_ = JoinedBytes(marked_joined_.data(), 0);
    return status.ok() ? kFeatures.raw_words(*this, &raw_words_) : status;
}

void Tokenizer::release() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

const PatternBreaks* Tokenizer::pattern_breaks() const {
    const PatternBreaks* breaks = pattern_breaks_.load(std::memory_order_acquire);
    if (breaks) return breaks;
    const auto& pattern = *reinterpret_cast<const layout::Pattern*>(cartridge_->pattern_bytes().data());
    const PatternBreaks* const new_breaks = new (std::nothrow) PatternBreaks(pattern);
    if (!new_breaks || pattern_breaks_.compare_exchange_strong(breaks, new_breaks, std::memory_order_acq_rel)) return new_breaks;
    delete new_breaks;  // another thread was first
    return breaks;
}

Tokenizer::~Tokenizer() {
    delete source_;
    delete raw_words_;
    delete pattern_breaks_.load(std::memory_order_relaxed);
    delete normalizer_;
    delete general_;
    delete trie_models_;
    cartridge_->release();
}

const char* Tokenizer::pretokenizer_name() const { return layout::name_of_pretokenizer(view_.pretokenizer); }

std::span<const layout::AddedToken> Tokenizer::added_tokens(u32 id) const {
    const layout::AddedToken* const end = view_.added.data() + view_.added.size();
    const layout::AddedToken* const first =
        std::partition_point(view_.added.data(), end, [id](const layout::AddedToken& token) { return token.id < id; });
    const layout::AddedToken* last = first;
    while (last != end && last->id == id) ++last;
    return {first, last};
}

const layout::AddedToken* Tokenizer::added_token(u32 id) const {
    const std::span<const layout::AddedToken> rows = added_tokens(id);
    return rows.empty() ? nullptr : rows.data();
}

// Of an added token, as it is in a text.
u32 Tokenizer::searched_length(u32 id) const {
    for (const layout::AddedToken& token : added_tokens(id)) {
        if ((token.flags & layout::kNeverFound) == 0) return token.length;
    }
    return static_cast<u32>(token_bytes(id).size());
}

std::string_view Tokenizer::token_bytes(u32 id) const {
    const TokensView& tokens = cartridge_->tokens();
    if (id < tokens.token_count) {
        const std::string_view bytes = tokens.token(id);
        if (!bytes.empty()) return bytes;
    }
    if (const layout::AddedToken* added = added_token(id)) return view_.bytes(*added);
    return is_without_bytes(id) ? tokens.token(id) : std::string_view{};
}

// Empty tokens with unmatched ids are tokens, all others are holes.
bool Tokenizer::is_without_bytes(u32 id) const {
    if (model_kind() != layout::kBpe || id >= cartridge_->tokens().token_count) return false;
    const std::span<const u32> unmatched = cartridge_->bpe().unmatched;
    return cartridge_->tokens().token(id).empty() && std::binary_search(unmatched.begin(), unmatched.end(), id);
}

u32 Tokenizer::id_of(std::string_view bytes) const {
    if (bytes.empty()) {
        if (model_kind() != layout::kBpe) return layout::kNone;
        const std::span<const u32> unmatched = cartridge_->bpe().unmatched;
        const auto first = std::find_if(unmatched.begin(), unmatched.end(), [&](u32 id) { return is_without_bytes(id); });
        return first == unmatched.end() ? layout::kNone : *first;
    }
    if (const u32 id = added_.id_of(bytes); id != layout::kNone) return id;
    if (bytes.size() > max_token_length()) return layout::kNone;
    if (general_) return general_->id_of(bytes);
    if (trie_models_) return trie_models_->token_of(bytes);
    if (model_kind() == layout::kLongestMatch) {
        return longest_match_.token_of(reinterpret_cast<const u8*>(bytes.data()), static_cast<u32>(bytes.size()));
    }
    if (model_kind() == layout::kDnaModel) {
        const TokensView& tokens = cartridge_->tokens();
        for (u32 id = 0; id < tokens.token_count; ++id) {
            if (tokens.token(id) == bytes) return id;
        }
        return layout::kNone;
    }
    Buffer<u8> padded;
    if (!padded.append(reinterpret_cast<const u8*>(bytes.data()), bytes.size())) return layout::kNone;
    if (!padded.resize(bytes.size() + Bpe::kPadding)) return layout::kNone;
    const u32 id = bpe_.token_of(padded.data(), static_cast<u32>(bytes.size()));
    if (id < cartridge_->tokens().token_count) return id;
    for (const u32 unmatched : cartridge_->bpe().unmatched) {
        if (cartridge_->tokens().token(unmatched) == bytes) return unmatched;
    }
    return layout::kNone;
}

Status Tokenizer::decoded_length(const u32* ids, u32 count, bool skip_special, u64* length) const {
    const TokensView& tokens = cartridge_->tokens();
    u64 total = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 id = static_cast<const volatile u32*>(ids)[i];  // only once, as below
        u32 bytes = id < tokens.token_count ? tokens.token_offsets[id + 1] - tokens.token_offsets[id] : 0;
        if (bytes == 0) [[unlikely]] {
            const layout::AddedToken* added = added_token(id);
            if (!added && is_without_bytes(id)) continue;
            if (!added) return {CRAYON_INVALID_ID, 0, i};
            bytes = skip_special && (added->flags & layout::kSpecial) ? 0 : added->length;
        }
        total += bytes;
    }
    *length = total;
    return {};
}

Status Tokenizer::decode(const u32* ids, u32 count, bool skip_special, u8* bytes, u32 capacity, Decoded* done) const {
    constexpr u32 kChunk = 16;  // most tokens are copied with one copy of this size, whatever their length
    const TokensView& tokens = cartridge_->tokens();
    u8* out = bytes;
    u8* const end = bytes + capacity;
    Status status;
    u32 i = 0;
    for (; i < count; ++i) {
        const u32 id = static_cast<const volatile u32*>(ids)[i];  // only once: another thread may be writing there
        u32 offset = 0, length = 0;
        if (id < tokens.token_count) [[likely]] {
            offset = tokens.token_offsets[id];
            length = tokens.token_offsets[id + 1] - offset;
        }
        const size_t capacity = static_cast<size_t>(end - out);
        if (length - 1 < kChunk && kChunk <= capacity && offset + kChunk <= tokens.token_byte_count) [[likely]] {
            std::memcpy(out, tokens.token_bytes + offset, kChunk);
            out += length;
            continue;
        }
        const u8* token = tokens.token_bytes + offset;
        if (length == 0) {
            const layout::AddedToken* added = added_token(id);
            if (!added && is_without_bytes(id)) continue;
            if (!added) {
                status = {CRAYON_INVALID_ID, 0, i};
                break;
            }
            if (skip_special && (added->flags & layout::kSpecial)) continue;
            token = reinterpret_cast<const u8*>(view_.bytes(*added).data());
            length = added->length;
        }
        if (length > capacity) break;
        std::memcpy(out, token, length);
        out += length;
    }
    *done = {i, static_cast<u32>(out - bytes)};
    return status;
}

}  // namespace crayon
