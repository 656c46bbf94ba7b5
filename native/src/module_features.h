// What a module of the engine can do. All of them open cartridges and decode; an entry is nullptr where a module leaves a
// feature out, and with it the linker drops the code that only this entry leads to. module_features.cpp says which module has
// what.
//
// Entries read sections and make objects, whose virtual functions do the rest: no call for a piece or a token goes through an
// entry. A file that needs a missing one is refused when it is opened, by the reader of its section or by the policy of views
// (Tokenizer::create); what comes later calls its entries unchecked.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "cartridge/section_table.h"
#include "normalize/nfc_pages.h"

namespace crayon {

class AddedPolicy;
class Cartridge;
class DroppedText;
class GeneralPath;
class Normalizer;
class Normalizing;
class OwnedBytes;
class PieceSource;
class RawWords;
class Sections;
class Tokenizer;
class TrieModels;
struct BpeScratch;
struct CartridgeContents;
struct LegacyDat;
struct TokenizerView;
struct TokensView;
namespace general {
class Tokenizer;
}
namespace layout {
struct NormalizerProgram;
struct Pattern;
}  // namespace layout

struct Features {
    // Slim files: cartridge/expansion.h. Without it they are files that lack sections.
    Status (*expand_slim)(const u8* data, u64 length, bool verify_checksum, OwnedBytes* full, Buffer<layout::Section>* rows);

    // DNA: cartridge/dna_sections.cpp. Without it its section is unknown.
    Status (Sections::*read_dna)(const SectionRange* sections);

    // Files of version 2: cartridge/legacy_dat.h.
    Status (*read_dat)(const u8* data, u64 length, const TokensView& list, u32 unknown, LegacyDat* dat, CartridgeContents* out);

    // Texts: encode/piece_model.h. Of the tokenizer's pieces; nullptr if memory is short.
    PieceSource* (*piece_source)(const Tokenizer& tokenizer);

    // Patterns that come with a cartridge: cartridge/section_checks.h. A kernel scans them.
    Status (*read_patterns)(const u8* data, SectionRange section, const layout::Pattern** out);

    // Normalizers, and added tokens that take the text around them: cartridge/section_checks.h, normalize/normalizer.h,
    // encode/normalizing.h, encode/raw_words.h, encode/marked_pieces.h.
    Status (*read_program)(const u8* data, SectionRange section, const layout::NormalizerProgram** out);
    Status (*make_normalizer)(u32 number, PassNormal pass, const layout::NormalizerProgram* program, const Normalizer** out);
    Status (*normalizing)(const Tokenizer& tokenizer, const AddedPolicy& policy, Normalizing** out);
    Status (*raw_words)(const Tokenizer& tokenizer, RawWords** out);
    Status (*join_marked)(const Tokenizer& tokenizer, Buffer<u8>* joined_bytes);
    PieceSource* (*marked_source)(const Tokenizer& tokenizer);

    // Models of words: cartridge/word_sections.cpp, model/trie_models.h, encode/bpe_words.h.
    Status (Sections::*read_trie_model)(const SectionTable& table, bool is_slim, SectionRange* sections);
    Status (*trie_models)(const Cartridge& cartridge, const DroppedText& dropped, TrieModels** out);
    PieceSource* (*word_source)(const Tokenizer& tokenizer);
    bool (*encode_apart)(const Tokenizer& tokenizer, const u8* piece, u32 length, BpeScratch& scratch);

    // The general path: general/general.h, encode/general_path.h. read_trie_model reads its section.
    Status (*general_tokenizer)(const Cartridge& cartridge, const TokenizerView& view, general::Tokenizer** out);
    Status (*general_path)(const Tokenizer& tokenizer, const AddedPolicy& policy, GeneralPath** out);
};

// Those of this module.
extern const Features kFeatures;

}  // namespace crayon
