// Writes the file of a byte-level BPE vocabulary, for the compiler and for the expansion of slim files, so that both
// have the same bytes.
#pragma once

#include <span>

#include "base/owned_bytes.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "expand/cartridge_writer.h"
#include "expand/rank_table.h"

namespace crayon {

// `common`: the sections that do not depend on the model. The splits are those of
// build_splits. Fails as the builders of bpe_tables.h do and as write_cartridge does. Cost: about 60 ms for 200,000
// tokens.
Status write_bpe_cartridge(CommonSections common, const TokenList& tokens,
                           const layout::Split* splits, OwnedBytes* file);

}  // namespace crayon
