#define CRAYON_ROW row_simd128
#include "simd/bytes64_simd128.h"
#include "simd/row.h"
