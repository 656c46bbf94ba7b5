// What the engine has only where few vocabularies need it: modules for pages are without (stubs/, wasm/CMakeLists.txt).
#pragma once

#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

// FEATURE_MISSING if a view needs what this build lacks. Patterns are the validator's (cartridge/pattern_check.h).
Status check_features(const TokenizerView& view);

}  // namespace crayon
