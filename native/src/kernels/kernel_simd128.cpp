#define CRAYON_KERNEL kernel_simd128
#include "simd/bases_simd128.h"
#include "simd/bytes64_simd128.h"

#include "kernels/kernel_impl.h"
