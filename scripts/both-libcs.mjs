/**
 * Functions and variables that both glibc 2.28 and musl 1.2 have, as far as addons need them: one file is for both. What is
 * added here has to be in `nm --dynamic` of both.
 */
export const IN_BOTH_LIBCS = new Set(
  `
  __cxa_atexit __cxa_finalize __errno_location __fxstat __tls_get_addr __xstat abort aligned_alloc bcmp calloc clock_gettime
  close dl_iterate_phdr dladdr dlerror dlopen dlsym fcntl fflush fprintf fputc fputs free fstat fstatvfs fwrite gettext
  madvise malloc memchr memcmp memcpy memmove memset mmap munmap open posix_memalign pread pthread_attr_destroy
  pthread_attr_init pthread_attr_setstacksize pthread_cond_broadcast pthread_cond_destroy pthread_cond_signal
  pthread_cond_wait pthread_create pthread_equal pthread_join pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock
  pthread_mutex_unlock pthread_once pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_self
  pthread_sigmask realloc sched_yield sigfillset snprintf sprintf stat stderr strcmp strerror strerror_r strlen strncmp
  syscall sysconf vfprintf wmemchr
`
    .trim()
    .split(/\s+/),
);
