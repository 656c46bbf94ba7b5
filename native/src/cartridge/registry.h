// The cartridge files open in this process: each file is mapped and checked once, no matter how many threads open it. A
// file that was replaced or changed in place counts as another file from then on.
//
// The registry does not hold references: a cartridge lives as long as it is used. Invariant: under the lock, every listed
// cartridge exists; one whose last reference was released is never returned again, and is removed from the list, under the
// lock, before it is freed. Files are opened outside the lock, so that a slow disk does not block other threads; if two
// threads open the same file at the same time, both check it and one of the results is kept.
#pragma once

#include <string_view>

#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

class Registry {
public:
    // Opens a file, or returns another reference to the cartridge already open for it. "The same file" means the same
    // identity (platform/mapped_file.h), the same choice of mapping or copying, and a verified checksum unless the flags
    // skip it. A file changed a moment ago, whose identity is not settled yet, is opened anew each time. `flags`:
    // CRAYON_OPEN_*. The caller owns one reference to `*out`. Fails with the statuses of OpenFile and of the validator. Any
    // thread. Cost: a pass over the file, or a few microseconds if it is open.
    static Status open_file(std::string_view path, u32 flags, Cartridge** out);

    // The same for a version 2 file: one cartridge per list and unknown id.
    struct DatList {
        TokensView tokens;
        u32 unknown;
    };
    static Status open_dat_file(std::string_view path, u32 flags, const DatList& list, Cartridge** out);

private:
    struct Entry;

    static Status open(std::string_view path, u32 flags, const DatList* list, Cartridge** out);
    static Cartridge* find(const Entry& wanted, const DatList* list);  // under the lock; adds a reference for the caller
    static void forget(Cartridge* cartridge);                          // removes it from the list

    static Entry* entries_;  // guarded by the lock
};

}  // namespace crayon
