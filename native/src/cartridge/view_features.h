// What a view needs beyond the sections of its cartridge, which the validator reads. Modules for pages lack features that few
// vocabularies need (module_features.h).
#pragma once

#include "base/status.h"
#include "cartridge/cartridge.h"
#include "kernels/kernel.h"

namespace crayon {

// FEATURE_MISSING if a view needs what this module lacks. A module that encodes no texts takes all that encoding alone needs.
Status check_features(const Cartridge& cartridge, const TokenizerView& view, const Kernel& kernel);

}  // namespace crayon
