#define CRAYON_ROW row_neon
#include "simd/bytes64_neon.h"
#include "simd/row.h"
