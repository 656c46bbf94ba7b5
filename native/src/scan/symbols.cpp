#include "scan/symbols.h"

#include <algorithm>
#include <iterator>

namespace crayon {

u64 symbols_of_page(u32 page) {
    using namespace unicode_16_0;
    const u32 plane = page << kPageShift >> 16, first = page << kPageShift & 0xFFFF;
    if (plane > 1) return 0;
    const std::uint16_t* const begin = plane == 0 ? kSymbolChangesOf0 : kSymbolChangesOf1;
    const std::uint16_t* const end = plane == 0 ? std::end(kSymbolChangesOf0) : std::end(kSymbolChangesOf1);
    const std::uint16_t* change = std::lower_bound(begin, end, first);
    u64 symbols = (change - begin) % 2 == 0 ? 0 : ~u64{0};
    for (; change != end && *change < first + 64; ++change) symbols ^= ~u64{0} << (*change - first);
    return symbols;
}

}  // namespace crayon
