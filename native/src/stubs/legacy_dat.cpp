// A module that does not read version 2 files.
#include "cartridge/legacy_dat.h"

namespace crayon {

Status read_dat(const u8*, u64, const TokensView&, u32, LegacyDat*, CartridgeContents*) { return {CRAYON_FEATURE_MISSING}; }
bool is_same_list(const LongestMatchView&, const TokensView&) { return false; }

}  // namespace crayon
