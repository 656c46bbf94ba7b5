// Parts of a file of text in memory, without a copy: pages are read when they are touched, and shared with every other reader.
//
// A page that the file no longer has when it is touched ends the process (SIGBUS), so only files may be mapped that do not
// become shorter. Where nobody can make a file shorter, the system says so.
//
// For POSIX systems; on others nothing can be mapped.
#pragma once

#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"

namespace crayon {

// Whether nobody can make the file of an open descriptor shorter: it is sealed (memfd), or of a file system that is mounted
// read-only.
bool cannot_shrink(int descriptor);

// Maps bytes [begin, begin + length) of a file. `out` holds whole pages, in which they begin at `*offset`. FILE_UNREADABLE where
// they cannot be mapped, OUT_OF_MEMORY.
Status map_text(int descriptor, u64 begin, u64 length, OwnedBytes* out, u32* offset);

}  // namespace crayon
