/*
 * One small process for each copy of a job, between the agent and the command. It outlives the agent, so that a job
 * does too: it waits for the copy and keeps the exit code on disk, where an agent that starts later finds it.
 *
 *   agent (may die)      shim            init                    command
 *        └ starts ────►  subreaper  ──►  PID 1 of a namespace ─► as the caller: user, limits, folder
 *
 * - The shim holds no state but three small files, each flushed and renamed: `shim` (its pid), `started` (the pid of
 *   init), `exit` (how it ended). It takes no orders: signals go to init, checkpoints are made by the agent.
 * - init is the root of what is dumped. The PID namespace makes its PIDs free on every machine that restores it.
 * - In a restore the shim runs `criu restore -d -S`, which makes the restored init a child of the shim, and waits for
 *   it in the same way.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far above what criu opens itself, below the smallest usual limit of descriptors. */
#define STDOUT_FD 200
#define STDERR_FD 201
#define GROUPS_MAX_TAKEN 1024
#define LIMITS_MAX 32

struct limit {
  int resource;
  struct rlimit value;
};

static const char *dir, *out_path, *err_path, *cwd = "/", *init_cwd = "/", *pid_file, *hold, *image;
static long uid = -1, gid = -1, mask = 022;
static gid_t groups[GROUPS_MAX_TAKEN];
static int group_count = -1, limit_count, use_namespace;
static struct limit limits[LIMITS_MAX];
static char **command;

static void fail(const char *what) {
  dprintf(2, "cairn-shim: cannot %s: %s\n", what, strerror(errno));
  exit(125);
}

/* Either the old or the new text after a crash, never half of one. */
static void keep(const char *name, const char *text) {
  char path[4096], temporary[4096];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  snprintf(temporary, sizeof temporary, "%s/%s.new", dir, name);
  int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) fail("keep the state");
  size_t length = strlen(text);
  if (write(fd, text, length) != (ssize_t)length || fsync(fd) != 0) fail("write the state");
  close(fd);
  if (rename(temporary, path) != 0) fail("rename the state");
  int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

/* Clock ticks since boot at which the process began: with its pid this names it, also after the pid is used again. */
static unsigned long long start_of(long pid) {
  char path[64], text[2048];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return 0;
  text[length] = 0;
  char *at = strrchr(text, ')');
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void keep_process(const char *name, long pid) {
  char text[96];
  snprintf(text, sizeof text, "%ld %llu\n", pid, start_of(pid));
  keep(name, text);
}

static void open_as(const char *path, int flags, int wanted) {
  int fd = open(path, flags, 0640);
  if (fd < 0) fail(path);
  if (fd == wanted) return;
  if (dup2(fd, wanted) < 0) fail("place a descriptor");
  close(fd);
}

static void report(int pipe_fd, int step) {
  int told[2] = {step, errno};
  if (write(pipe_fd, told, sizeof told) < 0) _exit(126);
  _exit(127);
}

/* A folder of the path that may not be searched says nothing of a command that is in none of them. */
static int is_nowhere(const char *name) {
  const char *path = getenv("PATH");
  if (strchr(name, '/') || !path) return 0;
  for (const char *at = path; at; at = strchr(at, ':')) {
    if (*at == ':') at++;
    char candidate[4096];
    snprintf(candidate, sizeof candidate, "%.*s/%s", (int)strcspn(at, ":"), at, name);
    if (access(candidate, F_OK) == 0) return 0;
  }
  return 1;
}

/* What the command may do and see is what its caller may; nothing of it is inherited from the agent. */
static void become_command(int pipe_fd) {
  struct sigaction fallback = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &fallback, NULL);
  setpgid(0, 0);
  /* A hard limit that the agent itself may not raise stays as it is: the job must not fail for that. */
  for (int i = 0; i < limit_count; i++) (void)setrlimit(limits[i].resource, &limits[i].value);
  umask((mode_t)mask);
  if (group_count >= 0 && geteuid() == 0 && setgroups((size_t)group_count, groups) != 0) report(pipe_fd, 1);
  if (gid >= 0 && setresgid((gid_t)gid, (gid_t)gid, (gid_t)gid) != 0) report(pipe_fd, 1);
  if (uid >= 0 && setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) != 0) report(pipe_fd, 1);
  if (chdir(cwd) != 0) report(pipe_fd, 2);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(command[0], command);
  if (errno == EACCES) errno = is_nowhere(command[0]) ? ENOENT : EACCES;
  report(pipe_fd, 3);
}

/* PID 1 of the copy: passes signals on to the command's process group, reaps, and ends as the command does. */
static void be_init(int pipe_fd) {
  sigset_t all;
  setsid();
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  /* CRIU makes a folder of a fixed name in here while it saves: two jobs must not share it. */
  if (chdir(init_cwd) != 0 && chdir("/") != 0) report(pipe_fd, 2);
  pid_t child = fork();
  if (child < 0) report(pipe_fd, 0);
  if (child == 0) become_command(pipe_fd);
  close(pipe_fd);
  for (;;) {
    int signal = sigwaitinfo(&all, NULL);
    if (signal < 0) continue;
    if (signal != SIGCHLD) {
      if (kill(-child, signal) != 0) kill(child, signal);
      continue;
    }
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid != child) continue;
      if (!use_namespace) kill(-child, SIGKILL);
      _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
  }
}

/* Waits for init as long as it takes, and reaps whatever else became an orphan below the shim. */
static void wait_and_end(pid_t init) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) {
      keep("exit", "lost\n");
      exit(1);
    }
    if (pid != init) continue;
    char text[64];
    if (WIFSIGNALED(status)) snprintf(text, sizeof text, "signal %d\n", WTERMSIG(status));
    else snprintf(text, sizeof text, "code %d\n", WEXITSTATUS(status));
    keep("exit", text);
    exit(0);
  }
}

static void run(void) {
  int told[2], errors[2];
  if (pipe2(errors, O_CLOEXEC) != 0) fail("make a pipe");
  open_as("/dev/null", O_RDONLY, 0);
  pid_t init = use_namespace ? (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0) : fork();
  if (init < 0) fail("make the copy");
  if (init == 0) {
    close(errors[0]);
    open_as(out_path, O_WRONLY | O_APPEND | O_CREAT, 1);
    open_as(err_path, O_WRONLY | O_APPEND | O_CREAT, 2);
    be_init(errors[1]);
  }
  close(errors[1]);
  ssize_t length = read(errors[0], told, sizeof told);
  close(errors[0]);
  if (length == sizeof told) {
    static const char *steps[] = {"start", "user", "folder", "exec"};
    char text[64];
    snprintf(text, sizeof text, "unstartable %s %d\n", steps[told[0]], told[1]);
    waitpid(init, NULL, 0);
    keep("exit", text);
    exit(0);
  }
  keep_process("started", init);
  wait_and_end(init);
}

/* Processes are saved while they are stopped, and so they come out of the image. */
static void resume(long init) {
  char number[32];
  snprintf(number, sizeof number, "%ld", init);
  pid_t child = fork();
  if (child == 0) {
    execl(hold, hold, "resume", "--image", image, "--init", number, NULL);
    _exit(127);
  }
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

static void restore(void) {
  open_as("/dev/null", O_RDONLY, 0);
  /* CRIU hands these to the restored copy in place of the files that it had when it was saved. */
  open_as(out_path, O_WRONLY | O_APPEND | O_CREAT, STDOUT_FD);
  open_as(err_path, O_WRONLY | O_APPEND | O_CREAT, STDERR_FD);
  pid_t engine = fork();
  if (engine < 0) fail("start the engine");
  if (engine == 0) {
    struct sigaction fallback = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &fallback, NULL);
    execv(command[0], command);
    _exit(127);
  }
  close(STDOUT_FD);
  close(STDERR_FD);
  keep_process("engine", engine);
  int status;
  while (waitpid(engine, &status, 0) < 0 && errno == EINTR) {}
  char text[64] = "";
  FILE *file = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? fopen(pid_file, "re") : NULL;
  long init = 0;
  if (file && fscanf(file, "%ld", &init) != 1) init = 0;
  if (file) fclose(file);
  if (init <= 0) {
    snprintf(text, sizeof text, "unrestorable %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    keep("exit", text);
    exit(0);
  }
  if (hold && image) resume(init);
  keep_process("started", init);
  wait_and_end((pid_t)init);
}

static void take_groups(char *text) {
  group_count = 0;
  for (char *part = strtok(text, ","); part && group_count < GROUPS_MAX_TAKEN; part = strtok(NULL, ","))
    groups[group_count++] = (gid_t)strtoul(part, NULL, 10);
}

/* RESOURCE:SOFT:HARD, numbers of the kernel; `u` is unlimited. */
static void take_limit(char *text) {
  if (limit_count == LIMITS_MAX) return;
  struct limit *limit = &limits[limit_count++];
  char *soft = strchr(text, ':'), *hard = soft ? strchr(soft + 1, ':') : NULL;
  if (!hard) exit(2);
  limit->resource = atoi(text);
  limit->value.rlim_cur = soft[1] == 'u' ? RLIM_INFINITY : strtoull(soft + 1, NULL, 10);
  limit->value.rlim_max = hard[1] == 'u' ? RLIM_INFINITY : strtoull(hard + 1, NULL, 10);
}

/* The process that started the agent may have left it files open: a job must not have them, nor an image list them as the job's. */
static void close_inherited(void) {
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
  for (int fd = 3; fd < 65536; fd++) close(fd);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  close_inherited();
  int at = 2;
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    const char *name = argv[at];
    if (strcmp(name, "--pid-namespace") == 0) {
      use_namespace = 1;
      continue;
    }
    char *value = argv[++at];
    if (!value) return 2;
    if (strcmp(name, "--dir") == 0) dir = value;
    else if (strcmp(name, "--stdout") == 0) out_path = value;
    else if (strcmp(name, "--stderr") == 0) err_path = value;
    else if (strcmp(name, "--cwd") == 0) cwd = value;
    else if (strcmp(name, "--init-cwd") == 0) init_cwd = value;
    else if (strcmp(name, "--hold") == 0) hold = value;
    else if (strcmp(name, "--image") == 0) image = value;
    else if (strcmp(name, "--pidfile") == 0) pid_file = value;
    else if (strcmp(name, "--uid") == 0) uid = atol(value);
    else if (strcmp(name, "--gid") == 0) gid = atol(value);
    else if (strcmp(name, "--umask") == 0) mask = strtol(value, NULL, 8);
    else if (strcmp(name, "--groups") == 0) take_groups(value);
    else if (strcmp(name, "--limit") == 0) take_limit(value);
    else return 2;
  }
  command = argv + at + 1;
  if (at + 1 >= argc || !dir || !out_path || !err_path) return 2;
  setsid();
  /* A signal for the agent's process group, or a service manager's for its unit, must not take the jobs along. */
  struct sigaction ignored = {.sa_handler = SIG_IGN};
  int deaf[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof deaf / sizeof *deaf; i++) sigaction(deaf[i], &ignored, NULL);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("become a subreaper");
  keep_process("shim", getpid());
  if (strcmp(argv[1], "run") == 0) run();
  if (strcmp(argv[1], "restore") == 0 && pid_file) restore();
  return 2;
}
