// Engine features that few vocabularies need: browser modules omit them (stubs/, wasm/CMakeLists.txt).
#pragma once

#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

// FEATURE_MISSING if a view needs a feature that this build lacks. The validator checks patterns (cartridge/pattern_check.h).
Status check_features(const TokenizerView& view);

}  // namespace crayon
