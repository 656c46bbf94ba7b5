#define CRAYON_ROW row_ssse3
#include "simd/bytes64_ssse3.h"
#include "simd/row.h"
