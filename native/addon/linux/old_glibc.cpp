// Lets an addon built on a new Linux run on an old one: glibc 2.28 (RHEL 8, Debian 10) and newer.
//
// The linker records each glibc function's default version on the build machine, and the addon does not load on a machine
// without that version. Most functions have not changed for decades; a few have a newer version, or are new. libstdc++ and
// libgcc, which are linked statically, call some of these. The definitions below are hidden: they replace glibc's inside
// this addon only, and call a version that every glibc has.
//
// test/architecture/old-glibc.test.ts lists functions that are too new. To add one: if old systems have an older
// version of it (`objdump -T libc.so.6` shows it in parentheses), add a line below; otherwise implement it.

#include <features.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#ifndef __clang__  // GCC claims that a parameter of pthread_setspecific is uninitialized
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// NOLINTBEGIN(bugprone-reserved-identifier): these are names of glibc.

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

// The first glibc version for this architecture; all later ones still have its functions.
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

// Declares first_NAME, the first version of NAME.
#define DECLARE_FIRST(result, name, parameters) \
    extern "C" result first_##name parameters;  \
    __asm__(".symver first_" #name ", " #name "@" FIRST_VERSION)

// 2.32 added a flag that lets libstdc++ avoid atomic instructions in single-threaded programs. Node has several threads.
#if __GLIBC_PREREQ(2, 32)
HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;
#endif

// 2.33 added stat and fstat as functions; before, they were inline calls of __xstat and __fxstat with a version of
// `struct stat`.
#if __GLIBC_PREREQ(2, 33)
#if defined(__x86_64__)
constexpr int kStatVersion = 1;
#else
constexpr int kStatVersion = 0;
#endif
DECLARE_FIRST(int, __xstat, (int, const char*, struct stat*));
HIDDEN int stat(const char* path, struct stat* out) noexcept { return first___xstat(kStatVersion, path, out); }
DECLARE_FIRST(int, __fxstat, (int, int, struct stat*));
HIDDEN int fstat(int file, struct stat* out) noexcept { return first___fxstat(kStatVersion, file, out); }
#endif

// 2.34 moved the libpthread functions to libc, under a new version. Older systems find them in libpthread, which Node has
// loaded.
#if __GLIBC_PREREQ(2, 34)

#define USE_FIRST(name, parameters, arguments, ...) \
    DECLARE_FIRST(int, name, parameters);           \
    HIDDEN int name parameters __VA_ARGS__ { return first_##name arguments; }

USE_FIRST(pthread_create, (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument),
          (thread, attributes, start, argument), noexcept)
USE_FIRST(pthread_join, (pthread_t thread, void** result), (thread, result))
USE_FIRST(pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size), (attributes, size), noexcept)
USE_FIRST(pthread_sigmask, (int how, const sigset_t* set, sigset_t* before), (how, set, before), noexcept)
USE_FIRST(pthread_detach, (pthread_t thread), (thread), noexcept)
USE_FIRST(pthread_once, (pthread_once_t * once, void (*routine)()), (once, routine))
USE_FIRST(pthread_key_create, (pthread_key_t * key, void (*destroy)(void*)), (key, destroy), noexcept)
USE_FIRST(__pthread_key_create, (pthread_key_t * key, void (*destroy)(void*)), (key, destroy))
USE_FIRST(pthread_key_delete, (pthread_key_t key), (key), noexcept)
USE_FIRST(pthread_setspecific, (pthread_key_t key, const void* value), (key, value), noexcept)
USE_FIRST(pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), noexcept)
USE_FIRST(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), noexcept)
USE_FIRST(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), noexcept)
USE_FIRST(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), noexcept)
USE_FIRST(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), noexcept)
USE_FIRST(pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock), noexcept)

DECLARE_FIRST(void*, pthread_getspecific, (pthread_key_t));
HIDDEN void* pthread_getspecific(pthread_key_t key) noexcept { return first_pthread_getspecific(key); }

#endif

// 2.34 also moved the libdl functions; Node has loaded libdl as well.
#if __GLIBC_PREREQ(2, 34)
DECLARE_FIRST(void*, dlopen, (const char*, int));
HIDDEN void* dlopen(const char* path, int flags) noexcept { return first_dlopen(path, flags); }
DECLARE_FIRST(void*, dlsym, (void*, const char*));
HIDDEN void* dlsym(void* library, const char* name) noexcept { return first_dlsym(library, name); }
DECLARE_FIRST(char*, dlerror, ());
HIDDEN char* dlerror() noexcept { return first_dlerror(); }
#endif

// 2.30 added waits with a clock other than CLOCK_REALTIME, which std::condition_variable::wait_for uses.
#if __GLIBC_PREREQ(2, 30)
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* deadline) {
    constexpr long kSecond = 1'000'000'000;  // in nanoseconds
    if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, deadline);
    struct timespec now, real;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &real);
    // The same deadline on CLOCK_REALTIME. If that clock is set meanwhile, the wait may end late, or early, which callers
    // of any condition variable must expect.
    real.tv_sec += deadline->tv_sec - now.tv_sec;
    real.tv_nsec += deadline->tv_nsec - now.tv_nsec;
    if (real.tv_nsec >= kSecond) {
        ++real.tv_sec;
        real.tv_nsec -= kSecond;
    } else if (real.tv_nsec < 0) {
        --real.tv_sec;
        real.tv_nsec += kSecond;
    }
    return pthread_cond_timedwait(condition, mutex, &real);
}
#endif

// 2.35 added a fast lookup of the unwind tables of an instruction, and libgcc uses it without a fallback. This is the
// old, slow lookup. The engine does not throw, but `new (std::nothrow)` does inside libstdc++ when memory is short.
#if __GLIBC_PREREQ(2, 35)

namespace {

// Callback of dl_iterate_phdr: whether a loaded file contains the instruction, and if so, the location of its unwind tables.
int find_object(struct dl_phdr_info* file, size_t, void* data) {
    struct dl_find_object* const found = static_cast<struct dl_find_object*>(data);
    const ElfW(Addr) instruction = reinterpret_cast<ElfW(Addr)>(found->dlfo_map_start);
    const ElfW(Phdr)* code = nullptr;
    const ElfW(Phdr)* tables = nullptr;
    for (const ElfW(Phdr)* each = file->dlpi_phdr; each != file->dlpi_phdr + file->dlpi_phnum; ++each) {
        if (each->p_type == PT_LOAD && instruction - file->dlpi_addr - each->p_vaddr < each->p_memsz) code = each;
        if (each->p_type == PT_GNU_EH_FRAME) tables = each;
    }
    if (!code || !tables) return 0;
    found->dlfo_map_start = reinterpret_cast<void*>(file->dlpi_addr + code->p_vaddr);
    found->dlfo_map_end = reinterpret_cast<void*>(file->dlpi_addr + code->p_vaddr + code->p_memsz);
    found->dlfo_eh_frame = reinterpret_cast<void*>(file->dlpi_addr + tables->p_vaddr);
    return 1;
}

}  // namespace

HIDDEN int _dl_find_object(void* instruction, struct dl_find_object* out) noexcept {
    *out = {};
    out->dlfo_map_start = instruction;
    return dl_iterate_phdr(find_object, out) == 1 ? 0 : -1;
}

#endif

// NOLINTEND(bugprone-reserved-identifier)

#endif
