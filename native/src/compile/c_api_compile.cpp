// crayon_compiler_*: checks arguments and turns statuses into results; no logic.
#include <new>

#include "base/status.h"
#include "cartridge/cartridge.h"
#include "cartridge/normalize_text.h"
#include "compile/compiler.h"

using namespace crayon;

namespace {

Compiler* from_c(crayon_compiler* compiler) { return reinterpret_cast<Compiler*>(compiler); }

Status set_trie_model(Compiler* compiler, const Cartridge& cartridge) {
    const LongestMatchView& view = cartridge.longest_match();
    if (cartridge.general()) {
        return compiler->set_general(view.token_bytes, view.token_byte_count, view.token_offsets, view.token_count,
                                     view.unknown_id, view.unmatched, cartridge.general_bytes());
    }
    const TrieRules& rules = cartridge.trie_rules();
    if (rules.scores) {
        return compiler->set_unigram(view.token_bytes, view.token_byte_count, view.token_offsets, view.token_count,
                                     view.unknown_id, view.unmatched, rules.scores, rules.unigram->unknown_score, rules.byte_ids,
                                     (rules.unigram->flags & layout::kSumsFloats) != 0);
    }
    const layout::WordPieceRules& words = *rules.word_piece;
    return compiler->set_word_piece(view.token_bytes, view.token_byte_count, view.token_offsets, view.token_count,
                                    view.unknown_id, view.unmatched, rules.prefix, words.most_characters,
                                    (words.flags & layout::kWholeWords) != 0);
}

// Gives the compiler the contents of a cartridge.
Status set_cartridge(Compiler* compiler, const Cartridge& cartridge) {
    if (cartridge.model_kind() == layout::kDnaModel) return kInvalidArgument;  // crayon_dna_compiler makes these
    const TokensView& tokens = cartridge.tokens();
    Status status;
    if (cartridge.model_kind() == layout::kBpe) {
        const BpeView& bpe = cartridge.bpe();
        status = compiler->set_bpe_splits(bpe.token_bytes, bpe.token_byte_count, bpe.token_offsets, bpe.token_count, bpe.splits,
                                          bpe.ids, bpe.unmatched, bpe.priorities);
        if (status.ok() && bpe.hidden) status = compiler->set_hidden(*bpe.hidden);
    } else if (layout::is_of_trie(cartridge.model_kind())) {
        status = set_trie_model(compiler, cartridge);
    } else {
        const LongestMatchView& view = cartridge.longest_match();
        status = compiler->set_longest_match(tokens.token_bytes, tokens.token_byte_count, tokens.token_offsets,
                                             tokens.token_count, view.unknown(), view.unmatched);
        if (status.ok() && cartridge.is_dat()) status = compiler->keep_dat(cartridge.data(), cartridge.length());
    }
    if (status.ok()) status = compiler->set_metadata(cartridge.metadata());
    if (const std::string_view pattern = cartridge.pattern_bytes(); status.ok() && !pattern.empty()) {
        status = compiler->set_pattern(reinterpret_cast<const uint8_t*>(pattern.data()), pattern.size());
    }
    if (const std::string_view program = cartridge.program_bytes(); status.ok() && !program.empty()) {
        status = compiler->set_program(reinterpret_cast<const uint8_t*>(program.data()), program.size());
    }
    if (status.ok()) status = compiler->set_words(cartridge.words());
    for (uint32_t i = 0; status.ok() && i < cartridge.view_count(); ++i) {
        const TokenizerView view = cartridge.view(i);
        status = compiler->add_view(view.name, view.pretokenizer);
        if (status.ok()) status = compiler->set_normalizer(view.normalizer);
        for (const layout::AddedToken& token : view.added) {
            if (status.ok()) status = compiler->add_token(view.bytes(token), token.id, token.flags);
        }
        if (status.ok()) status = compiler->set_template(view.prefix, view.suffix);
    }
    return status;
}

crayon_status finish(crayon_compiler* compiler, Status (Compiler::*form)(const OwnedBytes**), const uint8_t** bytes,
                     crayon_result* result) {
    if (bytes) *bytes = nullptr;
    if (!compiler || !bytes) return report(kInvalidArgument, result);
    const OwnedBytes* file = nullptr;
    const Status status = (from_c(compiler)->*form)(&file);
    if (!status.ok()) return report(status, result);
    *bytes = file->data();
    return report(status, result, static_cast<uint32_t>(file->length()));
}

}  // namespace

extern "C" {

crayon_status crayon_compiler_create(crayon_compiler** out, crayon_result* result) {
    if (!out) return report(kInvalidArgument, result);
    Compiler* compiler = new (std::nothrow) Compiler;
    *out = reinterpret_cast<crayon_compiler*>(compiler);
    return report(compiler ? Status{} : Status::out_of_memory(), result);
}

void crayon_compiler_release(crayon_compiler* compiler) { delete from_c(compiler); }

crayon_status crayon_compiler_set_bpe(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                      const uint32_t* offsets, uint32_t token_count, crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_bpe(bytes, byte_count, offsets, token_count), result);
}

crayon_status crayon_compiler_set_bpe_merges(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                             const uint32_t* offsets, uint32_t token_count, const uint32_t* merges,
                                             uint32_t merge_count, const uint32_t* priorities, const uint32_t* unmatched,
                                             uint32_t unmatched_count, uint32_t whole, crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets || (!merges && merge_count > 0) ||
        (!unmatched && unmatched_count > 0)) {
        return report(kInvalidArgument, result);
    }
    const Status status = from_c(compiler)->set_bpe_merges(
        bytes, byte_count, offsets, token_count, {merges, merge_count, priorities}, {unmatched, unmatched_count}, whole != 0);
    return report(status, result);
}

crayon_status crayon_compiler_set_hidden_tokens(crayon_compiler* compiler, uint32_t visible_count, uint32_t unknown_id,
                                                uint32_t flags, crayon_result* result) {
    if (!compiler) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_hidden({visible_count, unknown_id, flags, 0}), result);
}

crayon_status crayon_compiler_set_longest_match(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                                const uint32_t* offsets, uint32_t token_count, uint32_t unknown_id,
                                                crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_longest_match(bytes, byte_count, offsets, token_count, unknown_id), result);
}

crayon_status crayon_compiler_set_word_piece(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                             const uint32_t* offsets, uint32_t token_count, const uint32_t* unmatched,
                                             uint32_t unmatched_count, uint32_t unknown_id, const uint8_t* prefix,
                                             uint32_t prefix_length, uint32_t most_characters, uint32_t whole_words,
                                             crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets || (!unmatched && unmatched_count > 0) ||
        (!prefix && prefix_length > 0)) {
        return report(kInvalidArgument, result);
    }
    const std::string_view text = {reinterpret_cast<const char*>(prefix), prefix_length};
    return report(from_c(compiler)->set_word_piece(bytes, byte_count, offsets, token_count, unknown_id,
                                                   {unmatched, unmatched_count}, text, most_characters, whole_words != 0),
                  result);
}

crayon_status crayon_compiler_set_unigram(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                          const uint32_t* offsets, uint32_t token_count, const uint32_t* unmatched,
                                          uint32_t unmatched_count, uint32_t unknown_id, const double* scores,
                                          double unknown_score, const uint32_t* byte_ids, uint32_t sums_floats,
                                          crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets || (!unmatched && unmatched_count > 0) || !scores) {
        return report(kInvalidArgument, result);
    }
    return report(from_c(compiler)->set_unigram(bytes, byte_count, offsets, token_count, unknown_id, {unmatched, unmatched_count},
                                                scores, unknown_score, byte_ids, sums_floats != 0),
                  result);
}

crayon_status crayon_compiler_set_general(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                          const uint32_t* offsets, uint32_t token_count, const uint32_t* unmatched,
                                          uint32_t unmatched_count, uint32_t unknown_id, const uint8_t* section,
                                          uint32_t section_length, crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets || (!unmatched && unmatched_count > 0) || !section) {
        return report(kInvalidArgument, result);
    }
    const std::string_view rules = {reinterpret_cast<const char*>(section), section_length};
    return report(
        from_c(compiler)->set_general(bytes, byte_count, offsets, token_count, unknown_id, {unmatched, unmatched_count}, rules),
        result);
}

crayon_status crayon_compiler_set_metadata(crayon_compiler* compiler, const char* json, uint32_t length, crayon_result* result) {
    if (!compiler || (!json && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_metadata({json, length}), result);
}

crayon_status crayon_compiler_set_normalizer_program(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length,
                                                     crayon_result* result) {
    if (!compiler || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_program(bytes, length), result);
}

crayon_status crayon_compiler_normalize(const uint8_t* program, uint32_t length, const uint8_t* text, uint32_t text_length,
                                        uint8_t** bytes, crayon_result* result) {
    if (bytes) *bytes = nullptr;
    if (!program || !bytes || (!text && text_length > 0)) return report(kInvalidArgument, result);
    Buffer<u8> out;
    if (Status status = normalize_text(program, length, text, text_length, &out); !status.ok()) return report(status, result);
    const uint32_t count = static_cast<uint32_t>(out.size());
    if (!out.reserve(1)) return report(Status::out_of_memory(), result);
    *bytes = out.detach();
    return report({}, result, count);
}

crayon_status crayon_compiler_set_pattern(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length,
                                          crayon_result* result) {
    if (!compiler || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_pattern(bytes, length), result);
}

crayon_status crayon_compiler_add_view(crayon_compiler* compiler, const char* name, uint32_t name_length,
                                       const char* pretokenizer, uint32_t scanner_length, crayon_result* result) {
    if (!compiler || (!name && name_length > 0) || (!pretokenizer && scanner_length > 0)) {
        return report(kInvalidArgument, result);
    }
    return report(from_c(compiler)->add_view({name, name_length}, {pretokenizer, scanner_length}), result);
}

crayon_status crayon_compiler_add_token(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length, uint32_t id,
                                        uint32_t flags, crayon_result* result) {
    if (!compiler || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->add_token({reinterpret_cast<const char*>(bytes), length}, id, flags), result);
}

crayon_status crayon_compiler_set_normalizer(crayon_compiler* compiler, uint32_t normalizer, crayon_result* result) {
    if (!compiler) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_normalizer(normalizer), result);
}

crayon_status crayon_compiler_set_words(crayon_compiler* compiler, const uint32_t* ranges, uint32_t count,
                                        crayon_result* result) {
    if (!compiler || (!ranges && count > 0)) return report(kInvalidArgument, result);
    const auto* rows = reinterpret_cast<const layout::WordRange*>(ranges);
    return report(from_c(compiler)->set_words({rows, count}), result);
}

crayon_status crayon_compiler_set_template(crayon_compiler* compiler, const uint32_t* ids, uint32_t prefix_count,
                                           uint32_t suffix_count, crayon_result* result) {
    if (!compiler || (!ids && prefix_count + suffix_count > 0)) return report(kInvalidArgument, result);
    const std::span<const uint32_t> prefix = {ids, prefix_count}, suffix = {ids + prefix_count, suffix_count};
    return report(from_c(compiler)->set_template(prefix, suffix), result);
}

crayon_status crayon_compiler_set_cartridge(crayon_compiler* compiler, const crayon_cartridge* cartridge, crayon_result* result) {
    if (!compiler || !cartridge) return report(kInvalidArgument, result);
    return report(set_cartridge(from_c(compiler), *from_c(cartridge)), result);
}

crayon_status crayon_compiler_finish(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result) {
    return finish(compiler, &Compiler::finish, bytes, result);
}

crayon_status crayon_compiler_finish_slim(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result) {
    return finish(compiler, &Compiler::finish_slim, bytes, result);
}

crayon_status crayon_compiler_finish_dat(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result) {
    return finish(compiler, &Compiler::finish_dat, bytes, result);
}

}  // extern "C"
