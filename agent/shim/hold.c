/*
 * Stands between the agent and CRIU while a job is saved, so that a job survives the death of CRIU at any moment.
 *
 * CRIU works inside the processes that it saves: it runs code of its own in them, stops each thread with a breakpoint,
 * and puts everything back at its end. When it is killed, the kernel lets the threads go on just as they are then: in
 * foreign code, or with the signal of the breakpoint (SIGTRAP), which ends them. So, before CRIU begins:
 *
 *   1. every process gets SIGSTOP. A thread that loses its tracer stops again before it executes another instruction;
 *   2. every process gets a handler of SIGTRAP that does nothing, on a page of its own: the signal ends nobody;
 *   3. registers, signal masks and open files of every thread are kept on disk.
 *
 * Afterwards the handler is taken out and the processes continue. If CRIU was killed, threads that it left in its own
 * code get their registers back first, and what it mapped and opened is removed.
 *
 *   cairn-hold dump --record FILE --image DIR --report FILE --init PID -- criu dump ...
 *   cairn-hold release --record FILE                     what a `dump` that was killed itself has left
 *   cairn-hold resume --image DIR --init PID             after a restore: the image holds stopped processes
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "holding a job needs x86-64"
#endif

#define PAGE 4096
#define CODE_BYTES 64
#define XSTATE_MAX 16384
#define FDS_MAX 8192
#define STOP_SECONDS 10
#define SIGSET_BYTES 8
/* Names the form of the record. An upgrade of the agent can come in the middle of a dump: a change of the form needs another
   name, and a program that reads both. */
#define MAGIC 0x3130444c4f48ULL
#define PARASITE "/memfd:CRIUMFD"

struct action { /* of the kernel */
  uint64_t handler, flags, restorer, mask;
};

struct thread {
  pid_t tid;
  uint32_t xstate_bytes;
  struct user_regs_struct regs;
  uint64_t mask;
};

struct process {
  pid_t pid, inner_pid; /* inner: in the job's PID namespace, the same after a restore */
  uint64_t start;
  int was_stopped, thread_count, fd_count;
  uint64_t page, syscall_at, code_at;
  unsigned char code[CODE_BYTES];
};

struct held {
  struct process process;
  struct thread *threads;
  unsigned char **xstates;
  int *fds;
};

static struct held *held;
static int held_count;
static pid_t engine;
/* The root of the processes. */
static pid_t held_init;

static void die(const char *what) {
  dprintf(2, "cairn-hold: cannot %s: %s\n", what, strerror(errno));
  exit(125);
}

static uint64_t now_us(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000 + (uint64_t)at.tv_nsec / 1000;
}

/* The text of a small file below /proc; empty where there is none. */
static char *text_of(const char *path) {
  static char text[65536];
  ssize_t length = 0, got;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    while (length < (ssize_t)sizeof text - 1 && (got = read(fd, text + length, sizeof text - 1 - (size_t)length)) > 0)
      length += got;
    close(fd);
  }
  text[length] = 0;
  return text;
}

static char state_of(pid_t pid, pid_t tid, uint64_t *start) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
  char *at = strrchr(text_of(path), ')');
  if (!at) return 'X';
  char state = at[2];
  for (int field = 2; start && at && field < 22; field++) at = strchr(at + 1, ' ');
  if (start) *start = at ? strtoull(at + 1, NULL, 10) : 0;
  return state;
}

/* Numbers that name the entries of a folder of /proc. */
static int numbers_in(const char *path, int *numbers, int max) {
  int count = 0;
  DIR *folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent *entry; (entry = readdir(folder)) && count < max;)
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') numbers[count++] = atoi(entry->d_name);
  closedir(folder);
  return count;
}

static int *threads_of(pid_t pid, int *count) {
  static int tids[65536];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  *count = numbers_in(path, tids, 65536);
  return tids;
}

static int tree_of(pid_t pid, pid_t *pids, int count, int max) {
  if (count == max) return count;
  pids[count++] = pid;
  int thread_count, *shared = threads_of(pid, &thread_count);
  size_t bytes = (size_t)thread_count * sizeof *shared;
  int *tids = memcpy(malloc(bytes + 1), shared, bytes);
  for (int i = 0; i < thread_count; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tids[i]);
    char *copy = strdup(text_of(path)), *rest = copy;
    for (char *part; (part = strsep(&rest, " \n"));)
      if (*part) count = tree_of(atoi(part), pids, count, max);
    free(copy);
  }
  free(tids);
  return count;
}

/* ---- stopping and continuing ---- */

static struct held *known(pid_t pid) {
  for (int i = 0; i < held_count; i++)
    if (held[i].process.pid == pid) return &held[i];
  return NULL;
}

static pid_t inner_pid_of(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  char *line = strstr(text_of(path), "\nNSpid:");
  if (!line) return pid;
  line[1 + strcspn(line + 1, "\n")] = 0;
  char *last = strrchr(line, '\t');
  return last ? atoi(last + 1) : pid;
}

/* 1: every thread is stopped; 0: not yet, or there is nothing to stop. */
static int is_stopped(pid_t pid) {
  int count, *tids = threads_of(pid, &count);
  for (int i = 0; i < count; i++) {
    char state = state_of(pid, tids[i], NULL);
    if (state != 'T' && state != 'Z' && state != 'X') return 0;
  }
  return 1;
}

static void continue_all(void) {
  for (int i = held_count - 1; i >= 0; i--) {
    struct process *p = &held[i].process;
    uint64_t start;
    if (!p->was_stopped && state_of(p->pid, p->pid, &start) != 'X' && start == p->start) kill(p->pid, SIGCONT);
  }
}

static void stop_tree(pid_t init) {
  static pid_t pids[32768];
  uint64_t begin = now_us(), round = begin;
  for (;;) {
    int all = 1, count = tree_of(init, pids, 0, 32768);
    for (int i = 0; i < count; i++) {
      uint64_t start;
      char state = state_of(pids[i], pids[i], &start);
      if (state == 'Z' || state == 'X') continue;
      if (!known(pids[i])) {
        held = realloc(held, sizeof *held * (size_t)(held_count + 1));
        struct held *one = memset(&held[held_count++], 0, sizeof *held);
        one->process = (struct process){.pid = pids[i], .start = start, .inner_pid = inner_pid_of(pids[i])};
        one->process.was_stopped = is_stopped(pids[i]);
        all = 0;
      }
      if (is_stopped(pids[i])) continue;
      all = 0;
      kill(pids[i], SIGSTOP);
    }
    if (all) return;
    if (now_us() - begin > STOP_SECONDS * 1000000ULL) {
      continue_all();
      errno = ETIMEDOUT;
      die("stop the job");
    }
    /* A process that waits for a child's exec stops only after that: let both run for a moment. */
    if (now_us() - round > 1000000) {
      continue_all();
      usleep(20000);
      round = now_us();
    }
    usleep(300);
  }
}

/* ---- inside a process ---- */

static int seize(pid_t tid) {
  int status;
  /* A tracer that was killed is one until it is gone. */
  const long options = PTRACE_O_TRACESYSGOOD;
  for (int tries = 0; ptrace(PTRACE_SEIZE, tid, 0, options | PTRACE_O_SUSPEND_SECCOMP) != 0; tries++) {
    if (ptrace(PTRACE_SEIZE, tid, 0, options) == 0) break;
    if (errno != EPERM || tries == 5000) return -1;
    usleep(1000);
  }
  ptrace(PTRACE_INTERRUPT, tid, 0, 0);
  for (;;) {
    if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status)) return -1;
    if (status >> 16) return 0;
    /* A signal that came before the interruption: for the breakpoint's, nothing; others are for the job. */
    ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
  }
}

static int get_set(int request, pid_t tid, int kind, void *bytes, size_t *length) {
  struct iovec io = {.iov_base = bytes, .iov_len = *length};
  long result = ptrace(request, tid, kind, &io);
  *length = io.iov_len;
  return (int)result;
}

/* Fails for a thread of 32 bits. */
static int regs(int request, pid_t tid, struct user_regs_struct *value) {
  size_t length = sizeof *value;
  return get_set(request, tid, NT_PRSTATUS, value, &length) == 0 && length == sizeof *value ? 0 : -1;
}

static int memory(pid_t pid, int is_write, uint64_t at, void *bytes, size_t length) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  int fd = open(path, (is_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t done = is_write ? pwrite(fd, bytes, length, (off_t)at) : pread(fd, bytes, length, (off_t)at);
  close(fd);
  return done == (ssize_t)length ? 0 : -1;
}

/*
 * One system call in a stopped thread, by an instruction that it has. Registers and mask are the caller's to put back. It
 * stops at the entry and the exit of the call, which takes no signal: one would end the job if this program were killed.
 */
static long call(struct process *p, const struct user_regs_struct *base, long number, const uint64_t *args) {
  struct user_regs_struct value = *base;
  uint64_t block = ~(1ULL << (SIGTRAP - 1));
  int status, stops = 0;
  value.rip = p->syscall_at;
  value.rax = (uint64_t)number;
  value.orig_rax = (uint64_t)-1;
  value.rdi = args[0], value.rsi = args[1], value.rdx = args[2], value.r10 = args[3], value.r8 = args[4], value.r9 = args[5];
  if (ptrace(PTRACE_SETSIGMASK, p->pid, SIGSET_BYTES, &block) != 0) return -EPERM;
  if (regs(PTRACE_SETREGSET, p->pid, &value) != 0) return -EPERM;
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, p->pid, 0, 0) != 0) return -ESRCH;
    if (waitpid(p->pid, &status, __WALL) != p->pid || !WIFSTOPPED(status)) return -ESRCH;
    if (status >> 8 != (SIGTRAP | 0x80) || ++stops < 2) continue;
    if (regs(PTRACE_GETREGSET, p->pid, &value) != 0) return -ESRCH;
    return (long)value.rax;
  }
}

#define CALL(p, base, number, ...) call(p, base, number, (uint64_t[6]){__VA_ARGS__})

/* Calls `each` with every mapping; ends with the first that returns true. */
static int mappings(pid_t pid, int (*each)(void *, uint64_t, uint64_t, const char *, const char *), void *with) {
  char path[64], line[4352];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *file = fopen(path, "re");
  int found = 0;
  while (file && !found && fgets(line, sizeof line, file)) {
    uint64_t from, to;
    char rights[8], name[4200] = "";
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4199[^\n]", &from, &to, rights, name) < 3) continue;
    found = each(with, from, to, rights, name);
  }
  if (file) fclose(file);
  return found;
}

static int note_code(void *with, uint64_t from, uint64_t to, const char *rights, const char *name) {
  struct process *p = with;
  if (rights[2] == 'x' && p->code_at == 0) p->code_at = from;
  if (strcmp(name, "[vdso]") == 0) {
    static unsigned char bytes[16 * PAGE];
    size_t length = to - from < sizeof bytes ? to - from : sizeof bytes;
    if (memory(p->pid, 0, from, bytes, length) == 0) {
      unsigned char *at = memmem(bytes, length, "\x0f\x05", 2);
      if (at) p->syscall_at = from + (uint64_t)(at - bytes);
    }
  }
  return 0;
}

/* A thread that is in a restartable sequence goes on where that is given up, as the kernel would have it. */
static void leave_sequence(pid_t tid, struct user_regs_struct *value) {
  struct {
    uint64_t at;
    uint32_t size, signature, flags, pad;
  } config;
  uint64_t section = 0;
  struct {
    uint32_t version, flags;
    uint64_t start, length, abort;
  } sequence;
  if (ptrace(0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */, tid, sizeof config, &config) != sizeof config || !config.at) return;
  if (memory(tid, 0, config.at + 8, &section, sizeof section) != 0 || section == 0) return;
  if (memory(tid, 0, section, &sequence, sizeof sequence) != 0) return;
  if (value->rip - sequence.start < sequence.length) value->rip = sequence.abort;
}

static int record_threads(struct held *one) {
  struct process *p = &one->process;
  int count, *tids = threads_of(p->pid, &count);
  one->threads = calloc((size_t)count + 1, sizeof *one->threads);
  one->xstates = calloc((size_t)count + 1, sizeof *one->xstates);
  for (int i = 0; i < count; i++) {
    char state = state_of(p->pid, tids[i], NULL);
    if (state == 'Z' || state == 'X') continue;
    struct thread *t = &one->threads[p->thread_count];
    unsigned char xstate[XSTATE_MAX];
    size_t length = sizeof xstate;
    t->tid = tids[i];
    if (seize(t->tid) != 0) return -1;
    if (regs(PTRACE_GETREGSET, t->tid, &t->regs) != 0) return -1;
    if (ptrace(PTRACE_GETSIGMASK, t->tid, SIGSET_BYTES, &t->mask) != 0) return -1;
    if (get_set(PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, xstate, &length) != 0) length = 0;
    t->xstate_bytes = (uint32_t)length;
    one->xstates[p->thread_count++] = memcpy(malloc(length + 1), xstate, length);
    leave_sequence(t->tid, &t->regs);
  }
  return p->thread_count > 0 ? 0 : -1;
}

/* handler: ret; restorer: mov $15, %eax; syscall (rt_sigreturn) */
static const unsigned char GUARD_CODE[] = {0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
                                           0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
#define GUARD_ACTION 256
#define GUARD_OLD 320
#define GUARD_NOW 384
#define GUARD_FLAGS (SA_SIGINFO | SA_RESTART | SA_ONSTACK | 0x04000000 /* SA_RESTORER */)

static int put_guard(struct held *one) {
  struct process *p = &one->process;
  struct user_regs_struct first = {0};
  pid_t pid = p->pid;
  if (one->threads[0].tid != pid || seize(pid) != 0) return -1;
  if (regs(PTRACE_GETREGSET, pid, &first) != 0) return -1;
  const struct user_regs_struct base = first;
  long page = CALL(p, &base, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0);
  int fault = page < 0 && page > -4096;
  if (!fault) {
    p->page = (uint64_t)page;
    struct action guard = {.handler = p->page, .flags = GUARD_FLAGS, .restorer = p->page + 8, .mask = ~0ULL};
    fault = memory(pid, 1, p->page, (void *)GUARD_CODE, sizeof GUARD_CODE) != 0 ||
            memory(pid, 1, p->page + GUARD_ACTION, &guard, sizeof guard) != 0 ||
            CALL(p, &base, SYS_mprotect, p->page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 ||
            CALL(p, &base, SYS_rt_sigaction, SIGTRAP, p->page + GUARD_ACTION, p->page + GUARD_OLD, SIGSET_BYTES) != 0;
    if (fault) CALL(p, &base, SYS_munmap, p->page, PAGE);
    if (fault) p->page = 0;
  }
  regs(PTRACE_SETREGSET, pid, &first);
  ptrace(PTRACE_SETSIGMASK, pid, SIGSET_BYTES, &one->threads[0].mask);
  ptrace(PTRACE_DETACH, pid, 0, 0);
  return fault ? -1 : 0;
}

static void detach(struct held *one) {
  for (int i = 0; i < one->process.thread_count; i++) ptrace(PTRACE_DETACH, one->threads[i].tid, 0, 0);
}

static int note(struct held *one) {
  struct process *p = &one->process;
  char path[64];
  static int fds[FDS_MAX];
  snprintf(path, sizeof path, "/proc/%d/fd", p->pid);
  p->fd_count = numbers_in(path, fds, FDS_MAX);
  one->fds = memcpy(malloc((size_t)p->fd_count * sizeof *fds + 1), fds, (size_t)p->fd_count * sizeof *fds);
  mappings(p->pid, note_code, p);
  int fault = record_threads(one) != 0 || p->syscall_at == 0 || p->code_at == 0 ||
              memory(p->pid, 0, p->code_at, p->code, CODE_BYTES) != 0;
  detach(one);
  return fault ? -1 : 0;
}

/* ---- the way back ---- */

struct mapping {
  uint64_t at, from, to;
};

static int find_parasite(void *with, uint64_t from, uint64_t to, const char *rights, const char *name) {
  struct mapping *found = with;
  (void)rights;
  if (strncmp(name, PARASITE, strlen(PARASITE)) != 0) return 0;
  found->from = from;
  found->to = to;
  return 1;
}

static pid_t guarded;

/* By what is in it: the process that put it there may have been killed before that was on disk. */
static int find_guard(void *with, uint64_t from, uint64_t to, const char *rights, const char *name) {
  struct mapping *guard = with;
  unsigned char code[sizeof GUARD_CODE];
  if (to - from < PAGE || strcmp(rights, "rwxp") != 0 || name[0] == '/' || name[0] == '[') return 0;
  for (uint64_t at = from; at < to && to - from <= 16 * PAGE; at += PAGE) {
    if (memory(guarded, 0, at, code, sizeof code) != 0 || memcmp(code, GUARD_CODE, sizeof code) != 0) continue;
    guard->at = at;
    return 1;
  }
  return 0;
}

/* The job's own handler comes back, unless it has set another one meanwhile. */
static void remove_guard(struct process *p, const struct user_regs_struct *base) {
  struct mapping guard = {0};
  struct action old, current;
  guarded = p->pid;
  while (mappings(p->pid, find_guard, &guard)) {
    uint64_t page = guard.at;
    if (memory(p->pid, 0, page + GUARD_OLD, &old, sizeof old) != 0) return;
    if (CALL(p, base, SYS_rt_sigaction, SIGTRAP, 0, page + GUARD_NOW, SIGSET_BYTES) != 0) return;
    if (memory(p->pid, 0, page + GUARD_NOW, &current, sizeof current) != 0) return;
    if (current.handler == page && CALL(p, base, SYS_rt_sigaction, SIGTRAP, page + GUARD_OLD, 0, SIGSET_BYTES) != 0) return;
    if (CALL(p, base, SYS_munmap, page, PAGE) != 0) return;
  }
}

static void put_back(struct held *one, int i) {
  struct thread *t = &one->threads[i];
  size_t length = t->xstate_bytes;
  regs(PTRACE_SETREGSET, t->tid, &t->regs);
  if (length > 0) get_set(PTRACE_SETREGSET, t->tid, NT_X86_XSTATE, one->xstates[i], &length);
  ptrace(PTRACE_SETSIGMASK, t->tid, SIGSET_BYTES, &t->mask);
}

static int is_in(uint64_t at, uint64_t from, uint64_t length) { return at - from < length; }

/* True where the first thread is not in code of its own: CRIU's daemon may have ended itself properly before. */
static int is_astray(struct process *p, const struct user_regs_struct *value, const struct mapping *parasite) {
  return is_in(value->rip, p->page, PAGE) || is_in(value->rip, p->code_at, CODE_BYTES) ||
         is_in(value->rip, p->syscall_at, 3) || /* this program was killed itself */
         (parasite->to && is_in(value->rip, parasite->from, parasite->to - parasite->from));
}

/* `is_cure`: CRIU was killed, and its traces go too. Nothing here harms when it is done twice. */
static void release(struct held *one, int is_cure) {
  struct process *p = &one->process;
  struct mapping parasite = {0};
  struct user_regs_struct first;
  uint64_t mask, start;
  if (state_of(p->pid, p->pid, &start) == 'X' || start != p->start) return;
  for (int i = 0; i < p->thread_count; i++) {
    int is_ours = seize(one->threads[i].tid) == 0;
    if (!is_ours) {
      if (i == 0) return;
      continue;
    }
    /* Only the first thread can have gone on by itself; the others wait for CRIU all the time. */
    if (is_cure && i > 0) put_back(one, i);
    if (is_cure) ptrace(PTRACE_POKEUSER, one->threads[i].tid, offsetof(struct user, u_debugreg[7]), 0);
  }
  int is_back = 0;
  mappings(p->pid, find_parasite, &parasite);
  if (regs(PTRACE_GETREGSET, p->pid, &first) != 0) return;
  if (is_cure && (is_astray(p, &first, &parasite) || memcmp(&first, &one->threads[0].regs, sizeof first) == 0)) {
    put_back(one, 0);
    is_back = 1;
  }
  if (is_cure) memory(p->pid, 1, p->code_at, p->code, CODE_BYTES);
  regs(PTRACE_GETREGSET, p->pid, &first);
  ptrace(PTRACE_GETSIGMASK, p->pid, SIGSET_BYTES, &mask);
  while (is_cure && parasite.to) {
    if (CALL(p, &first, SYS_munmap, parasite.from, parasite.to - parasite.from) != 0) break;
    parasite.to = 0;
    mappings(p->pid, find_parasite, &parasite);
  }
  if (is_back) {
    char path[64];
    static int fds[FDS_MAX];
    snprintf(path, sizeof path, "/proc/%d/fd", p->pid);
    int count = numbers_in(path, fds, FDS_MAX);
    for (int i = 0; i < count; i++) {
      int was_open = 0;
      for (int j = 0; j < p->fd_count; j++) was_open |= one->fds[j] == fds[i];
      if (!was_open && p->fd_count < FDS_MAX) CALL(p, &first, SYS_close, (uint64_t)fds[i]);
    }
  }
  remove_guard(p, &first);
  regs(PTRACE_SETREGSET, p->pid, &first);
  ptrace(PTRACE_SETSIGMASK, p->pid, SIGSET_BYTES, &mask);
  detach(one);
}

/* ---- on disk ---- */

static void put(FILE *file, const void *bytes, size_t length) {
  if (length > 0 && fwrite(bytes, length, 1, file) != 1) die("write the record");
}

static void get(FILE *file, void *bytes, size_t length) {
  if (length > 0 && fread(bytes, length, 1, file) != 1) exit(3); /* half a record: nothing was begun */
}

static void save_record(const char *path) {
  char temporary[4096];
  uint64_t magic = MAGIC;
  snprintf(temporary, sizeof temporary, "%s.new", path);
  FILE *file = fopen(temporary, "we");
  if (!file) die("write the record");
  put(file, &magic, sizeof magic);
  put(file, &held_init, sizeof held_init);
  put(file, &held_count, sizeof held_count);
  for (int i = 0; i < held_count; i++) {
    struct process *p = &held[i].process;
    put(file, p, sizeof *p);
    put(file, held[i].fds, (size_t)p->fd_count * sizeof *held[i].fds);
    for (int j = 0; j < p->thread_count; j++) {
      put(file, &held[i].threads[j], sizeof *held[i].threads);
      put(file, held[i].xstates[j], held[i].threads[j].xstate_bytes);
    }
  }
  if (fclose(file) != 0 || rename(temporary, path) != 0) die("write the record");
}

static void load_record(const char *path) {
  FILE *file = fopen(path, "re");
  uint64_t magic;
  if (!file) exit(0);
  get(file, &magic, sizeof magic);
  if (magic != MAGIC) exit(3);
  get(file, &held_init, sizeof held_init);
  get(file, &held_count, sizeof held_count);
  held = calloc((size_t)held_count + 1, sizeof *held);
  for (int i = 0; i < held_count; i++) {
    struct process *p = &held[i].process;
    get(file, p, sizeof *p);
    held[i].fds = malloc((size_t)p->fd_count * sizeof(int) + 1);
    get(file, held[i].fds, (size_t)p->fd_count * sizeof(int));
    held[i].threads = calloc((size_t)p->thread_count + 1, sizeof(struct thread));
    held[i].xstates = calloc((size_t)p->thread_count + 1, sizeof(unsigned char *));
    for (int j = 0; j < p->thread_count; j++) {
      struct thread *t = &held[i].threads[j];
      get(file, t, sizeof *t);
      held[i].xstates[j] = malloc(t->xstate_bytes + 1);
      get(file, held[i].xstates[j], t->xstate_bytes);
    }
  }
  fclose(file);
}

/* What a restored copy needs of it; part of the image. */
static void save_image_part(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/held", folder);
  FILE *file = fopen(path, "we");
  if (!file) die("write to the image");
  for (int i = 0; i < held_count; i++) fprintf(file, "%d %d\n", held[i].process.inner_pid, held[i].process.was_stopped);
  if (fclose(file) != 0) die("write to the image");
}

/* From here on the processes are as they were: a second release must not touch their registers any more. */
static void finish(const char *record) {
  char done[4096];
  snprintf(done, sizeof done, "%s.done", record);
  if (rename(record, done) != 0) die("finish the record");
  continue_all();
  unlink(done);
}

/* CRIU mounts /proc in the folder of init for a moment. What is left of that fails every later dump. */
static void remove_mount(pid_t init) {
  char link[64], path[4096], *at = path;
  snprintf(link, sizeof link, "/proc/%d/cwd", init);
  ssize_t length = readlink(link, path, sizeof path - 32);
  if (length <= 0) return;
  strcpy(at + length, "/proc.crtools");
  umount2(path, MNT_DETACH);
  rmdir(path);
}

/* Processes that stand still, and in which at most the guard is. */
static void let_go(pid_t pid) {
  struct thread self = {.tid = pid};
  struct held one = {.process = {.pid = pid, .thread_count = 1}, .threads = &self};
  state_of(pid, pid, &one.process.start);
  mappings(pid, note_code, &one.process);
  if (one.process.syscall_at) release(&one, 0);
}

/* Killed before it had noted whom it had stopped. */
static void let_all_go(pid_t init) {
  static pid_t pids[32768];
  int count = tree_of(init, pids, 0, 32768);
  for (int i = 0; i < count; i++) {
    let_go(pids[i]);
    kill(pids[i], SIGCONT);
  }
}

/* What a guardian that was killed has left. */
static int release_left(const char *record) {
  char done[4096];
  snprintf(done, sizeof done, "%s.done", record);
  if (access(done, F_OK) == 0) {
    load_record(done);
    continue_all();
    return unlink(done);
  }
  load_record(record);
  if (held_count == 0) let_all_go(held_init);
  for (int i = 0; i < held_count; i++) release(&held[i], 1);
  remove_mount(held_init);
  finish(record);
  return 0;
}

/* ---- commands ---- */

static void on_signal(int signal) {
  (void)signal;
  if (engine > 0) kill(engine, SIGKILL);
}

static void report(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) dprintf(2, "cairn-hold: cannot write %s\n", path);
  if (fd >= 0) close(fd);
}

static void end_children(void) {
  static pid_t pids[32768];
  int count = tree_of(getpid(), pids, 0, 32768);
  for (int i = 1; i < count; i++) kill(pids[i], SIGKILL);
  while (waitpid(-1, NULL, __WALL) > 0) {}
}

static int dump(pid_t init, const char *record, const char *image, const char *report_path, char **command) {
  struct sigaction action = {.sa_handler = on_signal};
  int deaf[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof deaf / sizeof *deaf; i++) signal(deaf[i], SIG_IGN);
  sigaction(SIGTERM, &action, NULL);
  /* When memory runs out, the one that saves the job is the wrong one to end. */
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd >= 0 && write(fd, "-1000", 5) < 0) (void)0;
  if (fd >= 0) close(fd);
  pid_t guardian = getpid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  uint64_t begin = now_us();
  held_init = init;
  /* On disk before any process is touched: whichever program finds it can let them go on. */
  save_record(record);
  stop_tree(init);
  remove_mount(init);
  int is_held = 1, status = 0;
  for (int i = held_count - 1; i >= 0; i--) {
    char state = state_of(held[i].process.pid, held[i].process.pid, NULL);
    if (state != 'Z' && state != 'X') continue;
    memmove(&held[i], &held[i + 1], sizeof *held * (size_t)(--held_count - i));
  }
  for (int i = 0; i < held_count && is_held; i++) is_held = note(&held[i]) == 0;
  if (is_held) save_record(record);
  for (int i = 0; i < held_count && is_held; i++) is_held = put_guard(&held[i]) == 0;
  if (is_held) {
    save_record(record);
    save_image_part(image);
  } else {
    /* A process of 32 bits, or one that somebody else traces: CRIU may still be able to, without this net. */
    for (int i = 0; i < held_count; i++) release(&held[i], 0);
    finish(record);
  }
  engine = fork();
  if (engine < 0) die("start criu");
  if (engine == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guardian) _exit(126);
    for (size_t i = 0; i < sizeof deaf / sizeof *deaf; i++) signal(deaf[i], SIG_DFL);
    execv(command[0], command);
    _exit(127);
  }
  while (waitpid(engine, &status, 0) < 0 && errno == EINTR) {}
  /* CRIU tries out with children what the kernel can do, and does not end them when it is killed. */
  end_children();
  int is_whole = WIFEXITED(status);
  for (int i = 0; i < held_count && is_held; i++) release(&held[i], !is_whole);
  if (!is_whole) remove_mount(init);
  if (is_held) finish(record);
  char text[128];
  snprintf(text, sizeof text, "frozen %lu\n%s %d\nheld %d\n", now_us() - begin, is_whole ? "code" : "signal",
           is_whole ? WEXITSTATUS(status) : WTERMSIG(status), is_held);
  report(report_path, text);
  return is_whole ? WEXITSTATUS(status) : 125;
}

static int resume(pid_t init, const char *image) {
  static pid_t pids[32768];
  char path[4096], line[256];
  int count = tree_of(init, pids, 0, 32768);
  snprintf(path, sizeof path, "%s/held", image);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file)) {
    int inner_pid, was_stopped;
    if (sscanf(line, "%d %d", &inner_pid, &was_stopped) != 2) continue;
    for (int i = 0; i < count; i++) {
      if (inner_pid_of(pids[i]) != inner_pid) continue;
      let_go(pids[i]);
      if (!was_stopped) kill(pids[i], SIGCONT);
    }
  }
  if (file) fclose(file);
  return 0;
}

int main(int argc, char **argv) {
  const char *record = NULL, *image = NULL, *report_path = NULL;
  pid_t init = 0;
  int at = 2;
  for (; at + 1 < argc && strcmp(argv[at], "--") != 0; at += 2) {
    if (strcmp(argv[at], "--record") == 0) record = argv[at + 1];
    else if (strcmp(argv[at], "--image") == 0) image = argv[at + 1];
    else if (strcmp(argv[at], "--report") == 0) report_path = argv[at + 1];
    else if (strcmp(argv[at], "--init") == 0) init = atoi(argv[at + 1]);
    else return 2;
  }
  if (argc > at + 1 && strcmp(argv[1], "dump") == 0 && record && image && report_path && init > 0)
    return dump(init, record, image, report_path, argv + at + 1);
  if (argc > 1 && strcmp(argv[1], "release") == 0 && record) return release_left(record);
  if (argc > 1 && strcmp(argv[1], "resume") == 0 && image && init > 0) return resume(init, image);
  return 2;
}
