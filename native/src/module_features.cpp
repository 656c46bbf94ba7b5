// The modules, and what each has. CRAYON_MODULE names the one that this file is compiled for: `all` for the addon, tests and
// tools, the others for WebAssembly (wasm/CMakeLists.txt), whose modules for pages are downloads.
#include "module_features.h"

#include "cartridge/expansion.h"
#include "cartridge/legacy_dat.h"
#include "cartridge/section_checks.h"
#include "cartridge/sections.h"
#include "encode/bpe_words.h"
#include "encode/general_path.h"
#include "encode/marked_pieces.h"
#include "encode/normalizing.h"
#include "encode/piece_model.h"
#include "encode/raw_words.h"
#include "general/general.h"
#include "kernels/kernel.h"
#include "model/trie_models.h"
#include "normalize/normalizer.h"

#ifndef CRAYON_MODULE
#define CRAYON_MODULE all
#endif

namespace crayon {

namespace {

struct Module {
    bool texts;   // BPE and longest match, with the pretokenizers of most vocabularies
    bool others;  // what few vocabularies need, most of them imported: other pretokenizers and models, normalizers, version 2
    bool dna;     // with FASTA and FASTQ
};

namespace modules {
[[maybe_unused]] constexpr Module all = {.texts = true, .others = true, .dna = true};
[[maybe_unused]] constexpr Module build = {.texts = true, .others = true, .dna = false};
[[maybe_unused]] constexpr Module core = {.texts = true, .others = false, .dna = false};
[[maybe_unused]] constexpr Module dna = {.texts = false, .others = false, .dna = true};
}  // namespace modules

constexpr Module kHas = modules::CRAYON_MODULE;

// A constant expression, so that the linker never sees what a module lacks.
template <class Entry>
consteval Entry if_has(bool has, Entry entry) {
    return has ? entry : nullptr;
}
#define CRAYON_KERNEL_ROW(name)                                                               \
    {#name,                                                                                   \
     kernel_##name::runs_here,                                                                \
     &kernel_##name::kChecks,                                                                 \
     if_has(kHas.texts, kHas.others ? &kernel_##name::kTexts : &kernel_##name::kCommonTexts), \
     if_has(kHas.dna, &kernel_##name::kDna),                                                  \
     if_has(kHas.dna, &kernel_##name::kRecords)},
constinit const Kernel kRows[] = {CRAYON_KERNELS(CRAYON_KERNEL_ROW)};

}  // namespace

constinit const std::span<const Kernel> kKernels = kRows;

constinit const Features kFeatures = {
    .expand_slim = if_has(kHas.texts, expand_slim),
    .read_dna = if_has(kHas.dna, &Sections::read_dna),
    .read_dat = if_has(kHas.others, read_dat),
    .piece_source = if_has(kHas.texts, create_piece_source),
    // A module for DNA says of other files, too, that they are of texts: it opens those that need nothing more.
    .read_patterns = if_has(kHas.others || kHas.dna, read_patterns),
    .read_program = if_has(kHas.others, read_program),
    .make_normalizer = if_has(kHas.others, make_normalizer),
    .normalizing = if_has(kHas.others, Normalizing::create),
    .raw_words = if_has(kHas.others, RawWords::create),
    .join_marked = if_has(kHas.others, join_marked),
    .marked_source = if_has(kHas.others, create_marked_source),
    .read_trie_model = if_has(kHas.others, &Sections::read_trie_model),
    .trie_models = if_has(kHas.others, TrieModels::create),
    .word_source = if_has(kHas.others, create_word_source),
    .encode_apart = if_has(kHas.others, encode_apart),
    .general_tokenizer = if_has(kHas.others, general::Tokenizer::create),
    .general_path = if_has(kHas.others, GeneralPath::create),
};

}  // namespace crayon
