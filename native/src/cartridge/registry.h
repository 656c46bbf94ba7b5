// The cartridge files this process has open: each file is mapped and checked once, however many threads open it.
//
// The registry holds no count of its own: a cartridge lives as long as somebody uses it. The invariant: under the lock,
// every listed cartridge exists; one whose last count has been given back is not handed out again, and is taken off the
// list, under the lock, before it is freed. Files are opened outside the lock, so that a slow disk holds up nobody
// else; when two threads open the same file at the same moment, both check it and the first one's is kept.
#pragma once

#include <string_view>

#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

class Registry {
public:
    // Opens a file, or gives another count of the cartridge that is already open for it: the same device, inode, size
    // and time of change, mapped or copied alike, and its checksum verified unless the flags forgo that. `flags`:
    // CRAYON_OPEN_*. The caller holds one count of `*out`. Fails with the statuses of OpenFile and of the gate. Any
    // thread. Cost: a pass over the file, or a few microseconds.
    static Status open_file(std::string_view path, u32 flags, Cartridge** out);

    // The same for a file of version 2: one cartridge for each list and unknown id.
    struct DatList {
        TokensView tokens;
        u32 unknown_id;
    };
    static Status open_dat_file(std::string_view path, u32 flags, const DatList& list, Cartridge** out);

private:
    struct Entry;

    static Status open(std::string_view path, u32 flags, const DatList* list, Cartridge** out);
    static Cartridge* find(const Entry& wanted, const DatList* list);  // under the lock; holds a count for the caller
    static void forget(Cartridge* cartridge);     // takes it off the list

    static Entry* entries_;  // guarded by the lock
};

}  // namespace crayon
