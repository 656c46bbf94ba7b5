#define CRAYON_KERNEL kernel_avx2
#include "simd/bases_avx2.h"
#include "simd/bytes64_avx2.h"

#include "kernels/kernel_impl.h"
