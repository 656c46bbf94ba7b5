// Sorts in place, and is small: std::sort is some 2 KB of WebAssembly wherever it is used, which pays where many things
// are sorted while somebody waits. Not stable; n log n steps, whatever the order was.
#pragma once

#include <algorithm>

namespace crayon {

template <class Row, class Less>
void heap_sort(Row* first, Row* last, Less less) {
    std::make_heap(first, last, less);
    std::sort_heap(first, last, less);
}

}  // namespace crayon
