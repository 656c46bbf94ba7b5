// A hint for memory that is going to be written from end to end.
#pragma once

#include <cstddef>

namespace crayon {

// Memory of many megabytes that has not been written yet: in large pages, where the system has them, it costs a page fault
// per 2 MiB instead of one per 4 KiB, each of which takes a microsecond or two.
void prefer_large_pages(void* memory, std::size_t size);

}  // namespace crayon
