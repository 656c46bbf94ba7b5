#define CRAYON_KERNEL kernel_simd128
#include "simd/bytes64_simd128.h"
#include "simd/kernel_impl.h"
