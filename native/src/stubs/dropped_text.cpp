// A module without the pretokenizers that drop text.
#include "scan/dropped_text.h"

namespace crayon {

DroppedText::DroppedText(u32, const Patterns&, const Patterns&) {}
u32 DroppedText::character_at(const u8*, u32) const { return 0; }
u32 DroppedText::leading_characters(const u8*, u32) const { return 0; }

}  // namespace crayon
