// A module without the general path does not open its cartridges (word_sections.cpp).
#include "general/general.h"

#include "encode/general_path.h"

namespace crayon {

Status GeneralPath::create(const Tokenizer&, const AddedPolicy&, GeneralPath**) { return {CRAYON_FEATURE_MISSING}; }
void GeneralPath::destroy(GeneralPath*) {}
Status GeneralPath::encode(const u8*, size_t, bool) { return {CRAYON_FEATURE_MISSING}; }
void GeneralPath::take(u32, u32*, u32*, u32) {}
size_t GeneralPath::memory() const { return 0; }

namespace general {

Status Tokenizer::create(const Cartridge&, const TokenizerView&, Tokenizer**) { return {CRAYON_FEATURE_MISSING}; }
void Tokenizer::destroy(Tokenizer*) {}
Status find_matches(const u32*, size_t, const u8*, size_t, Buffer<u32>*) { return {CRAYON_FEATURE_MISSING}; }
Status normalize_text(const u8*, size_t, const u8*, size_t, Buffer<u8>*) { return {CRAYON_FEATURE_MISSING}; }

}  // namespace general

}  // namespace crayon
