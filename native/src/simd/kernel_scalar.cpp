#define CRAYON_KERNEL kernel_scalar
#include "simd/bases_scalar.h"
#include "simd/bytes64_scalar.h"
#include "simd/dna_kernel_impl.h"
#include "simd/kernel_impl.h"
#include "simd/record_kernel_impl.h"
