#include "normalize/normalizer.h"

#include <new>

#include "crayon/layout/cartridge.h"
#include "normalize/nfc.h"
#include "normalize/program.h"
#include "normalize/sentence_piece.h"

namespace crayon {

namespace {

struct Ingredients {
    PassNormal pass;
    const layout::NormalizerProgram* program;
};

Status create(Nfc& nfc, const Ingredients& parts) { return nfc.create(parts.pass); }
Status create(Program& program, const Ingredients& parts) { return program.create(parts.program); }
Status create(SentencePiece& normalizer, const Ingredients& parts) { return normalizer.create(parts.program); }

template <class Type>
Status make(const Ingredients& parts, const Normalizer** out) {
    Type* const normalizer = new (std::nothrow) Type;
    if (!normalizer) return Status::out_of_memory();
    const Status status = create(*normalizer, parts);
    if (status.ok()) {
        *out = normalizer;
    } else {
        delete normalizer;
    }
    return status;
}

// The single step with its own class, or any other steps.
Status make_program(const Ingredients& parts, const Normalizer** out) {
    const auto& first = *reinterpret_cast<const layout::NormalizerStep*>(parts.program + 1);
    return first.kind == layout::kStepSentencePiece ? make<SentencePiece>(parts, out) : make<Program>(parts, out);
}

}  // namespace

Status make_normalizer(u32 number, PassNormal pass, const layout::NormalizerProgram* program, const Normalizer** out) {
    if (number == layout::kNfc) return make<Nfc>({pass, program}, out);
    return number == layout::kProgramNormalizer ? make_program({pass, program}, out) : Status{};
}

const char* normalizer_name(u32 number) {
    if (number == layout::kNfc) return "NFC";
    return number == layout::kProgramNormalizer ? "program" : "";
}

}  // namespace crayon
