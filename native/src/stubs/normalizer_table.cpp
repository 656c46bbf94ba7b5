// A module without normalizers does not open tokenizers that need one.
#include "normalize/table.h"

#include "crayon/layout/cartridge.h"

namespace crayon {

Status make_normalizer(u32 number, PassNormal, const layout::NormalizerProgram*, const Normalizer**) {
    return {number == layout::kNoNormalizer ? CRAYON_OK : CRAYON_FEATURE_MISSING};
}
const char* normalizer_name(u32) { return ""; }

}  // namespace crayon
