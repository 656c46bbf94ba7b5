// A hint for memory about to be written from end to end.
#pragma once

#include <cstddef>

namespace crayon {

// For many megabytes of memory not written yet: uses large pages, if the system has them, so it costs a page fault per 2
// MiB instead of one per 4 KiB, each of which takes a microsecond or two.
void prefer_large_pages(void* memory, std::size_t size);

}  // namespace crayon
