#define CRAYON_KERNEL kernel_avx512
#include "simd/bases_avx512.h"
#include "simd/bytes64_avx512.h"

#include "kernels/kernel_impl.h"
