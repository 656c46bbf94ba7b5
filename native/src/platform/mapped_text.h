// Parts of a text file in memory, without a copy: pages are read when touched, and shared with all other readers.
//
// Touching a page that the file no longer has ends the process (SIGBUS), so only files that never shrink may be mapped. The
// system tells whether anybody can shrink a file.
//
// For POSIX systems; other systems cannot map anything here.
#pragma once

#include "base/integers.h"
#include "base/owned_bytes.h"
#include "base/status.h"

namespace crayon {

// Whether nobody can shrink the file of an open descriptor: it is sealed (memfd), or on a read-only file system.
bool cannot_shrink(int descriptor);

// Maps bytes [begin, begin + length) of a file. `out` holds whole pages; the bytes begin at `*offset`. FILE_UNREADABLE if
// they cannot be mapped, OUT_OF_MEMORY.
Status map_text(int descriptor, u64 begin, u64 length, OwnedBytes* out, u32* offset);

}  // namespace crayon
