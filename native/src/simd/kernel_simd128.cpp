#define CRAYON_KERNEL kernel_simd128
#include "simd/bases_simd128.h"
#include "simd/bytes64_simd128.h"
#include "simd/dna_kernel_impl.h"
#include "simd/kernel_impl.h"
#include "simd/record_kernel_impl.h"
