// Without the pretokenizer bert nothing depends on what is punctuation.
#include "scan/punctuation.h"

namespace crayon {

u64 bert_punctuation_of_page(u32) { return 0; }

}  // namespace crayon
