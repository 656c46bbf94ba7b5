// Sorts in place with little code: each use of std::sort adds about 2 KB of WebAssembly, which only pays off for many
// elements at run time. Not stable; n log n steps for any input order.
#pragma once

#include <algorithm>

namespace crayon {

template <class Row, class Less>
void heap_sort(Row* first, Row* last, Less less) {
    std::make_heap(first, last, less);
    std::sort_heap(first, last, less);
}

}  // namespace crayon
