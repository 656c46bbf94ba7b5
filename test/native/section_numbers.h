// The section numbers of a cartridge, from cartridges/FORMAT.md and not from the engine.
#pragma once

#include <cstdint>

namespace crayon::test {

enum SectionNumber : std::uint32_t {
    kMetadata = 1,
    kModel,
    kViews,
    kAdded,
    kOffsets,
    kTokenBytes,
    kPieces8,
    kPieces24,
    kPiecesLong,
    kSplits,
    kPairs,
    kTrie,
    kCrossings,
    kMerges,
    kJoinedBytes,
    kUnmatched,
    kDna,
    kPattern,
    kProgram = 24,
    kWordPieces = 25,
    kScores = 26,
    kGeneral = 29,
};

}  // namespace crayon::test
