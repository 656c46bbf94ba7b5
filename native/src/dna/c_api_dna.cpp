// Stubs.
#include "base/c_result.h"

using crayon::kInvalidArgument;
using crayon::report;

extern "C" {

crayon_status crayon_dna_create(crayon_tokenizer*, const crayon_dna_policies*, crayon_dna**, crayon_result* result) { return report(kInvalidArgument, result); }
void crayon_dna_release(crayon_dna*) {}
void crayon_dna_describe(const crayon_dna*, uint32_t [9]) {}
uint32_t crayon_dna_template(const crayon_dna*, uint32_t, uint32_t) { return 0xFFFFFFFF; }
crayon_status crayon_dna_count(const crayon_dna*, const uint8_t*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_encode(const crayon_dna*, const uint8_t*, uint32_t, uint32_t, uint32_t, void*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_encode_rows(const crayon_dna*, const uint8_t*, const uint32_t*, uint32_t, uint32_t, uint32_t, uint32_t, void*, uint8_t*, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_reverse_complement(const uint8_t*, uint32_t, uint8_t*, const char*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_pack(const uint8_t*, uint32_t, uint8_t*, const char*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_unpack(const uint8_t*, uint32_t, uint8_t*, const char*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_create(crayon_dna_compiler**, crayon_result* result) { return report(kInvalidArgument, result); }
void crayon_dna_compiler_release(crayon_dna_compiler*) {}
crayon_status crayon_dna_compiler_set_rules(crayon_dna_compiler*, const crayon_dna_rules*, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_set_tokens(crayon_dna_compiler*, const uint8_t*, uint32_t, const uint32_t*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_set_bases(crayon_dna_compiler*, const uint32_t [256], const uint32_t*, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_set_kmers(crayon_dna_compiler*, const uint8_t*, uint32_t, const uint32_t*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_set_template(crayon_dna_compiler*, const uint32_t*, uint32_t, const uint32_t*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_set_metadata(crayon_dna_compiler*, const char*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_set_name(crayon_dna_compiler*, const char*, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_add_special(crayon_dna_compiler*, const uint8_t*, uint32_t, uint32_t, crayon_result* result) { return report(kInvalidArgument, result); }
crayon_status crayon_dna_compiler_finish(crayon_dna_compiler*, const uint8_t**, crayon_result* result) { return report(kInvalidArgument, result); }

}  // extern "C"
