/* A wall clock that a test moves, for every process that is started with this library preloaded.

   The file that SPOTTER_SOAK_CLOCK names holds how many seconds the clock is ahead, as an int64.
   Monotonic time stays what it is. A wait that began before a jump ends when its time has passed
   on the moved clock, as it does on a machine that wakes up. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
/* No machine has been up for so long: an absolute time above this is one of the wall clock. */
#define WALL_CLOCK_S 1000000000
#define SLICE_NS 200000000
#define SECOND_NS 1000000000

static volatile const int64_t *moved;
static __typeof__(clock_gettime) *real_gettime;
static __typeof__(syscall) *real_syscall;
static __typeof__(sem_clockwait) *real_sem_clockwait;
static __typeof__(sem_timedwait) *real_sem_timedwait;
static __typeof__(pthread_cond_timedwait) *real_cond_timedwait;

__attribute__((constructor)) static void find(void) {
    if (real_gettime) return;
    real_syscall = NEXT(syscall);
    real_sem_clockwait = NEXT(sem_clockwait);
    real_sem_timedwait = NEXT(sem_timedwait);
    real_cond_timedwait = NEXT(pthread_cond_timedwait);
    const char *path = getenv("SPOTTER_SOAK_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *shared = mmap(NULL, sizeof *moved, PROT_READ, MAP_SHARED, file, 0);
        if (shared != MAP_FAILED) moved = shared;
        close(file);
    }
    real_gettime = NEXT(clock_gettime);
}

static int64_t ahead(void) { return moved ? *moved : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    find();
    int failed = real_gettime(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += ahead();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (now) *now = precise.tv_sec;
    return precise.tv_sec;
}

/* A deadline as the kernel has to be told it. */
static struct timespec for_kernel(const struct timespec *deadline) {
    struct timespec told = *deadline;
    if (told.tv_sec > WALL_CLOCK_S) told.tv_sec -= ahead();
    return told;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
    find();
    struct timespec told = for_kernel(deadline);
    return real_cond_timedwait(condition, mutex, &told);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    find();
    struct timespec told = for_kernel(deadline);
    return real_sem_timedwait(semaphore, &told);
}

/* How Python waits: in slices, so that a jump is noticed. */
int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                  const struct timespec *restrict deadline) {
    find();
    if (clock != CLOCK_MONOTONIC) {
        struct timespec told = for_kernel(deadline);
        return real_sem_clockwait(semaphore, clock, &told);
    }
    int64_t began = ahead();
    for (;;) {
        struct timespec end;
        real_gettime(clock, &end);
        end.tv_nsec += SLICE_NS;
        if (end.tv_nsec >= SECOND_NS) end.tv_sec += 1, end.tv_nsec -= SECOND_NS;
        int64_t last = deadline->tv_sec - (ahead() - began);
        int is_last = end.tv_sec > last || (end.tv_sec == last && end.tv_nsec >= deadline->tv_nsec);
        if (is_last) end.tv_sec = last, end.tv_nsec = deadline->tv_nsec;
        if (real_sem_clockwait(semaphore, clock, &end) == 0) return 0;
        if (errno != ETIMEDOUT || is_last) return -1;
    }
}

/* gRPC waits on futexes of its own. */
long syscall(long number, ...) {
    find();
    long given[6];
    va_list list;
    va_start(list, number);
    for (int place = 0; place < 6; place++) given[place] = va_arg(list, long);
    va_end(list);
    struct timespec told;
    if (number == SYS_futex && (given[1] & FUTEX_CLOCK_REALTIME) && given[3]) {
        told = for_kernel((const struct timespec *)given[3]);
        given[3] = (long)&told;
    }
    return real_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
