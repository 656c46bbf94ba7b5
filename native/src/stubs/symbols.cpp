// Without deepseek3 nothing depends on which characters are symbols.
#include "scan/symbols.h"

namespace crayon {

u64 symbols_of_page(u32) { return 0; }

}  // namespace crayon
