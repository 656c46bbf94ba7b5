#define CRAYON_ROW row_scalar
#include "simd/bytes64_scalar.h"
#include "simd/row.h"
