// Markers for GPU kernel code: the kernels themselves (gpu/kernels) and the code they share with the engine.
#pragma once

#if defined(CRAYON_GPU_CUDA) || defined(CRAYON_GPU_HIP)
#define CRAYON_KERNEL_CODE __device__ __forceinline__
#define CRAYON_ANYWHERE __host__ __device__ __forceinline__
#define CRAYON_UNROLL _Pragma("unroll")
#define CRAYON_KEEP_LOOP _Pragma("unroll 1")
#else
#define CRAYON_KERNEL_CODE inline
#define CRAYON_ANYWHERE inline
#define CRAYON_UNROLL
#define CRAYON_KEEP_LOOP
#endif
