/*
 * LD_PRELOAD shim over the file doors and the wall clock of one process, for `npm run proof`. The file that CAIRN_FAULTS
 * names is mapped and shared with the program that starts the process, so that rules take effect while it runs. With
 * CAIRN_UNDO it keeps what every write that is not flushed replaced: enough to make of a kill a power cut.
 * The layout of the shared file is that of ../fault-shim.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OP_WRITE = 1, OP_SYNC = 2, OP_RENAME = 4, OP_OPEN = 8, OP_TRUNCATE = 16, OP_UNLINK = 32, OP_READ = 64 };
enum { ACT_ERROR = 1, ACT_KILL_BEFORE = 2, ACT_KILL_AFTER = 3, ACT_SLEEP = 4, ACT_SHORT = 5 };
enum { REC_WRITE = 1, REC_SYNC = 2, REC_TRUNCATE = 3, REC_RENAME = 4, REC_UNLINK = 5 };

struct rule {
  int32_t ops, action, error, skip, times, millis, flushed_only, fired;
  char path[96];
};

struct control {
  int64_t clock_ms;
  int32_t rules_used, pad[29];
  struct rule rules[16];
};

/* A record of the undo file; the path, the second path and the old bytes follow. */
struct record {
  uint32_t kind, path_length, other_length, flushed;
  int64_t inode, sequence, offset, old_size, length;
};

static struct control *control;
static char undo_folder[512], undo_root[512];
static int undo_fd = -1;
static int64_t sequence;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...)                              \
  static type (*real_##name)(__VA_ARGS__);                 \
  if (!real_##name) real_##name = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CAIRN_FAULTS"), *undo = getenv("CAIRN_UNDO"), *root = getenv("CAIRN_UNDO_ROOT");
  if (path) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
      void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (mapped != MAP_FAILED) control = mapped;
      close(fd);
    }
  }
  if (undo && root) {
    char name[600];
    snprintf(undo_folder, sizeof undo_folder, "%s", undo);
    snprintf(undo_root, sizeof undo_root, "%s", root);
    snprintf(name, sizeof name, "%s/records", undo);
    undo_fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
}

static int path_of(int fd, char *path, size_t size) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0 && path[0] == '/';
}

/* The rule that fires now. 0 where none does. */
static struct rule *hit(int op, const char *path, int flags) {
  if (!control) return NULL;
  for (int i = 0; i < control->rules_used && i < 16; i++) {
    struct rule *rule = &control->rules[i];
    if (!(rule->ops & op) || !strstr(path, rule->path)) continue;
    if (rule->flushed_only && !(flags & O_DSYNC)) continue;
    if (__atomic_fetch_sub(&rule->skip, 1, __ATOMIC_SEQ_CST) > 0) continue;
    int32_t left = __atomic_load_n(&rule->times, __ATOMIC_SEQ_CST);
    while (left > 0 && !__atomic_compare_exchange_n(&rule->times, &left, left - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    if (left == 0) continue;
    __atomic_fetch_add(&rule->fired, 1, __ATOMIC_SEQ_CST);
    return rule;
  }
  return NULL;
}

static int is_armed(int op) {
  if (!control) return 0;
  for (int i = 0; i < control->rules_used && i < 16; i++)
    if (control->rules[i].ops & op) return 1;
  return 0;
}

static void end_process(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void wait_ms(int millis) {
  struct timespec left = {millis / 1000, (long)(millis % 1000) * 1000000};
  while (nanosleep(&left, &left) && errno == EINTR) {}
}

/* 1: the call fails with errno. */
static int before(struct rule *rule) {
  if (!rule) return 0;
  if (rule->action == ACT_KILL_BEFORE) end_process();
  if (rule->action == ACT_SLEEP) wait_ms(rule->millis);
  if (rule->action != ACT_ERROR) return 0;
  errno = rule->error;
  return 1;
}

static void after(struct rule *rule) {
  if (!rule || rule->action != ACT_KILL_AFTER) return;
  end_process();
}

static int is_recorded(const char *path) {
  return undo_fd >= 0 && strncmp(path, undo_root, strlen(undo_root)) == 0 && !strstr(path, "lock.mdb");
}

static void put(struct record *record, const char *path, const char *other, const void *old) {
  record->path_length = (uint32_t)strlen(path);
  record->other_length = (uint32_t)strlen(other);
  struct iovec parts[] = {
      {record, sizeof *record}, {(void *)path, record->path_length}, {(void *)other, record->other_length},
      {(void *)old, old ? (size_t)record->length : 0}};
  if (!old) record->length = 0;
  if (syscall(SYS_writev, undo_fd, parts, 4) < 0) abort();
}

/* What a write or a cut is about to replace. The lock is held. */
static void keep_bytes(int kind, int fd, const char *path, int64_t offset, int64_t length, int flags) {
  struct stat info;
  if (fstat(fd, &info) || !S_ISREG(info.st_mode)) return;
  int64_t there = info.st_size > offset ? info.st_size - offset : 0;
  if (length > there) length = there;
  char *old = malloc(length > 0 ? (size_t)length : 1);
  int64_t got = 0;
  while (got < length) {
    ssize_t part = syscall(SYS_pread64, fd, old + got, (size_t)(length - got), offset + got);
    if (part > 0) { got += part; continue; }
    /* The descriptor may be for writing only. */
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int reader = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    if (reader < 0) break;
    part = syscall(SYS_pread64, reader, old + got, (size_t)(length - got), offset + got);
    syscall(SYS_close, reader);
    if (part <= 0) break;
    got += part;
  }
  struct record record = {.kind = (uint32_t)kind, .flushed = (flags & (O_DSYNC | O_SYNC)) != 0,
                          .inode = (int64_t)info.st_ino, .sequence = ++sequence, .offset = offset,
                          .old_size = info.st_size, .length = got};
  put(&record, path, "", old);
  free(old);
}

static void keep_sync(int fd, const char *path, int64_t upto) {
  struct stat info;
  if (fstat(fd, &info)) return;
  struct record record = {.kind = REC_SYNC, .inode = (int64_t)info.st_ino, .sequence = upto};
  pthread_mutex_lock(&lock);
  put(&record, path, "", NULL);
  pthread_mutex_unlock(&lock);
}

/* A name that is about to go or to stand for something else: what it stands for is kept by a link. */
static void keep_name(int kind, const char *from, const char *to) {
  struct record record = {.kind = (uint32_t)kind, .sequence = ++sequence};
  const char *replaced = kind == REC_RENAME ? to : from;
  struct stat info;
  if (!lstat(replaced, &info) && S_ISREG(info.st_mode)) {
    char kept[600];
    snprintf(kept, sizeof kept, "%s/%lld", undo_folder, (long long)record.sequence);
    record.old_size = 1;
    if (linkat(AT_FDCWD, replaced, AT_FDCWD, kept, 0)) record.old_size = 0;
  }
  put(&record, from, to, NULL);
}

static int64_t sum_of(const struct iovec *parts, int count) {
  int64_t sum = 0;
  for (int i = 0; i < count; i++) sum += (int64_t)parts[i].iov_len;
  return sum;
}

/* offset -1: where the descriptor stands, or the end of what is appended to. */
static ssize_t write_parts(int fd, const struct iovec *parts, int count, int64_t offset) {
  char path[512] = "";
  struct rule *rule = NULL;
  int is_kept = 0;
  int flags = 0;
  if ((is_armed(OP_WRITE) || undo_fd >= 0) && path_of(fd, path, sizeof path)) {
    flags = fcntl(fd, F_GETFL);
    rule = hit(OP_WRITE, path, flags);
    if (before(rule)) return -1;
    is_kept = is_recorded(path);
  }
  if (is_kept) {
    struct stat info;
    int64_t at = offset;
    pthread_mutex_lock(&lock);
    if (at < 0) at = (flags & O_APPEND) && !fstat(fd, &info) ? info.st_size : lseek(fd, 0, SEEK_CUR);
    keep_bytes(REC_WRITE, fd, path, at, sum_of(parts, count), flags);
  }
  struct iovec part = parts[0];
  if (rule && rule->action == ACT_SHORT) {
    part.iov_len = part.iov_len > 1 ? part.iov_len / 2 : part.iov_len;
    parts = &part;
    count = 1;
  }
  ssize_t done = offset < 0 ? syscall(SYS_writev, fd, parts, count)
                            : syscall(SYS_pwritev, fd, parts, count, (long)offset, (long)0);
  int error = errno;
  if (is_kept) pthread_mutex_unlock(&lock);
  after(rule);
  errno = error;
  return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  return write_parts(fd, &part, 1, -1);
}

ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts(fd, parts, count, -1); }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  return write_parts(fd, &part, 1, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return write_parts(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return write_parts(fd, parts, count, offset);
}

static ssize_t read_file(int fd, void *bytes, size_t length, int64_t offset) {
  char path[512] = "";
  struct rule *rule = is_armed(OP_READ) && path_of(fd, path, sizeof path) ? hit(OP_READ, path, 0) : NULL;
  if (before(rule)) return -1;
  ssize_t done = offset < 0 ? syscall(SYS_read, fd, bytes, length) : syscall(SYS_pread64, fd, bytes, length, (long)offset);
  int error = errno;
  after(rule);
  errno = error;
  return done;
}

ssize_t read(int fd, void *bytes, size_t length) { return read_file(fd, bytes, length, -1); }

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) { return read_file(fd, bytes, length, offset); }

static int sync_file(int fd, long number) {
  char path[512] = "";
  struct rule *rule = NULL;
  int64_t upto = 0;
  if ((is_armed(OP_SYNC) || undo_fd >= 0) && path_of(fd, path, sizeof path)) {
    rule = hit(OP_SYNC, path, 0);
    if (before(rule)) return -1;
    upto = __atomic_load_n(&sequence, __ATOMIC_SEQ_CST);
  }
  int result = (int)syscall(number, fd);
  int error = errno;
  if (!result && is_recorded(path)) keep_sync(fd, path, upto);
  after(rule);
  errno = error;
  return result;
}

int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

int rename(const char *from, const char *to) {
  struct rule *rule = hit(OP_RENAME, to, 0);
  if (before(rule)) return -1;
  int is_kept = is_recorded(to);
  if (is_kept) {
    pthread_mutex_lock(&lock);
    keep_name(REC_RENAME, from, to);
  }
  int result = (int)syscall(SYS_rename, from, to);
  int error = errno;
  if (is_kept) pthread_mutex_unlock(&lock);
  after(rule);
  errno = error;
  return result;
}

int unlink(const char *path) {
  struct rule *rule = hit(OP_UNLINK, path, 0);
  if (before(rule)) return -1;
  int is_kept = is_recorded(path);
  if (is_kept) {
    pthread_mutex_lock(&lock);
    keep_name(REC_UNLINK, path, "");
  }
  int result = (int)syscall(SYS_unlink, path);
  int error = errno;
  if (is_kept) pthread_mutex_unlock(&lock);
  after(rule);
  errno = error;
  return result;
}

int ftruncate64(int fd, off64_t size) {
  char path[512] = "";
  struct rule *rule = NULL;
  int is_kept = 0;
  if ((is_armed(OP_TRUNCATE) || undo_fd >= 0) && path_of(fd, path, sizeof path)) {
    rule = hit(OP_TRUNCATE, path, 0);
    if (before(rule)) return -1;
    is_kept = is_recorded(path);
  }
  if (is_kept) {
    pthread_mutex_lock(&lock);
    keep_bytes(REC_TRUNCATE, fd, path, size, INT64_MAX, 0);
  }
  int result = (int)syscall(SYS_ftruncate, fd, size);
  int error = errno;
  if (is_kept) pthread_mutex_unlock(&lock);
  after(rule);
  errno = error;
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int open_file(const char *path, int flags, mode_t mode) {
  struct rule *rule = flags & (O_WRONLY | O_RDWR | O_CREAT) ? hit(OP_OPEN, path, 0) : NULL;
  if (before(rule)) return -1;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int error = errno;
  after(rule);
  errno = error;
  return fd;
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_file(path, flags, mode);
}

/* A disk on which writes find no room says so beforehand, too. */
static int is_full(const char *path) {
  for (int i = 0; control && i < control->rules_used && i < 16; i++) {
    struct rule *rule = &control->rules[i];
    char folder[96];
    snprintf(folder, sizeof folder, "%s", rule->path);
    char *last = strrchr(folder, '/');
    if (last && last != folder) *last = 0;
    if ((rule->ops & OP_WRITE) && rule->action == ACT_ERROR && rule->error == ENOSPC && rule->times != 0 && strstr(path, folder))
      return 1;
  }
  return 0;
}

int statfs(const char *path, struct statfs *info) {
  int result = (int)syscall(SYS_statfs, path, info);
  if (!result && is_full(path)) info->f_bavail = info->f_bfree = 0;
  return result;
}

int statfs64(const char *path, struct statfs64 *info) { return statfs(path, (struct statfs *)info); }

int clock_gettime(clockid_t id, struct timespec *time) {
  REAL(int, clock_gettime, clockid_t, struct timespec *);
  int result = real_clock_gettime(id, time);
  if (!result && control && control->clock_ms && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + control->clock_ms * 1000000;
    time->tv_sec = nanos / 1000000000;
    time->tv_nsec = nanos % 1000000000;
  }
  return result;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone) {
  struct timespec now;
  (void)zone;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  value->tv_sec = now.tv_sec;
  value->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *value) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (value) *value = now.tv_sec;
  return now.tv_sec;
}
