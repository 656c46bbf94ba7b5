#include "cartridge/normalize_text.h"

#include <cstring>
#include <string_view>

#include "cartridge/section_checks.h"
#include "general/general.h"
#include "normalize/sentence_piece.h"
#include "normalize/steps.h"

namespace crayon {

namespace {

constexpr u32 kEdges = kOpensSegment | kOpensText | kEndsSegment;

Status by_sentence_piece(const layout::NormalizerProgram* program, const u8* text, size_t length, Buffer<u8>* out) {
    SentencePiece normalizer;
    Normalizer::Scratch scratch;
    bool changed = false;
    Status status = normalizer.create(program);
    if (status.ok() && length > 0) status = normalizer.rewrite(text, 0, length, kEdges, scratch, &changed);
    if (status.ok()) out->swap(scratch.bytes);
    return status;
}

// Where a program has only zeros, a section of the general path has the number of its steps.
bool is_general(const u8* section, size_t length) {
    return length >= sizeof(layout::GeneralTokenizer) &&
           reinterpret_cast<const layout::GeneralTokenizer*>(section)->step_count > 0;
}

}  // namespace

// In one range.
Status normalize_text(const u8* program, size_t program_length, const u8* text, size_t length, Buffer<u8>* out) {
    // Sections begin at multiples of 64.
    constexpr size_t kAlign = 64;
    if (program_length > layout::kMaxFileLength) return Status::invalid_argument();
    Buffer<u8> copy;
    if (!copy.resize(program_length + kAlign)) return Status::out_of_memory();
    u8* const section = copy.data() + (kAlign - reinterpret_cast<uintptr_t>(copy.data()) % kAlign) % kAlign;
    std::memcpy(section, program, program_length);
    if (is_general(section, program_length)) return general::normalize_text(section, program_length, text, length, out);
    const layout::NormalizerProgram* checked = nullptr;
    if (Status status = read_program(section, {layout::kProgram, 0, program_length}, &checked); !status.ok()) return status;
    if (reinterpret_cast<const layout::NormalizerStep*>(checked + 1)->kind == layout::kStepSentencePiece) {
        return by_sentence_piece(checked, text, length, out);
    }
    Steps steps;
    Normalizer::Scratch scratch;
    Status status = steps.create(checked);
    if (status.ok()) status = append_characters({reinterpret_cast<const char*>(text), length}, 0, &scratch.text);
    for (u32 i = 0; status.ok() && i < scratch.text.size(); ++i) scratch.text[i].source = i;
    const size_t limit = Steps::most_of(scratch.text.size());
    for (u32 step = 0; status.ok() && step < steps.count(); ++step) status = steps.run(step, kEdges, limit, scratch);
    if (!status.ok()) return status;
    return put_characters(scratch.text, out) ? Status{} : Status::out_of_memory();
}

}  // namespace crayon
