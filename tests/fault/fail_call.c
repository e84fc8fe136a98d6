/* Preloaded into a program: the n-th call that concerns FAIL_FOLDER fails with FAIL_ERRNO, or, where that is 0, kills the
   program before it is made. FAIL_LOG gets the names of the calls. Calls that only read count where FAIL_READS is set. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_int calls;

static int is_inside(const char* path) {
  const char* folder = getenv("FAIL_FOLDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int concerns_path(int at, const char* path) {
  char link[64], whole[8192];
  if (path[0] == '/') return is_inside(path);
  snprintf(link, sizeof(link), at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
  const ssize_t length = readlink(link, whole, 4096);
  if (length < 0) return 0;
  snprintf(whole + length, sizeof(whole) - length, "/%s", path);
  return is_inside(whole);
}

static int concerns_file(int fd) {
  char link[64], target[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, target, sizeof(target) - 1);
  if (length < 0) return 0;
  target[length] = 0;
  return is_inside(target);
}

static int fails(const char* name) {
  const int number = ++calls;
  const char* log = getenv("FAIL_LOG");
  if (log != NULL) {
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    char line[64];
    const int length = snprintf(line, sizeof(line), "%s\n", name);
    syscall(SYS_write, fd, line, length);
    syscall(SYS_close, fd);
  }
  if (getenv("FAIL_AT") == NULL || number != atoi(getenv("FAIL_AT"))) return 0;
  const int problem = atoi(getenv("FAIL_ERRNO"));
  if (problem == 0) raise(SIGKILL);
  errno = problem;
  return 1;
}

#define OPEN(name)                                                       \
  int name(const char* path, int flags, ...) {                           \
    va_list rest;                                                        \
    va_start(rest, flags);                                               \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                        \
    if (concerns_path(AT_FDCWD, path) && fails("open")) return -1;       \
    return REAL(name)(path, flags, mode);                                \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void* bytes, size_t count) {
  if (concerns_file(fd) && fails("write")) return -1;
  return REAL(write)(fd, bytes, count);
}
int fsync(int fd) { return concerns_file(fd) && fails("fsync") ? -1 : REAL(fsync)(fd); }
int flock(int fd, int how) { return concerns_file(fd) && fails("flock") ? -1 : REAL(flock)(fd, how); }
int unlink(const char* path) { return concerns_path(AT_FDCWD, path) && fails("unlink") ? -1 : REAL(unlink)(path); }
int link(const char* from, const char* to) { return concerns_path(AT_FDCWD, to) && fails("link") ? -1 : REAL(link)(from, to); }
int remove(const char* path) { return concerns_path(AT_FDCWD, path) && fails("remove") ? -1 : REAL(remove)(path); }
int mkdir(const char* path, mode_t mode) {
  return concerns_path(AT_FDCWD, path) && fails("mkdir") ? -1 : REAL(mkdir)(path, mode);
}
int rename(const char* from, const char* to) {
  return concerns_path(AT_FDCWD, to) && fails("rename") ? -1 : REAL(rename)(from, to);
}
int renameat2(int from_at, const char* from, int to_at, const char* to, unsigned flags) {
  return concerns_path(to_at, to) && fails("renameat2") ? -1 : REAL(renameat2)(from_at, from, to_at, to, flags);
}

/* ---- calls that only read, and the last one of a file ---- */

static int read_fails(int concerns, const char* name) { return concerns && getenv("FAIL_READS") != NULL && fails(name); }

int close(int fd) {
  if (!read_fails(concerns_file(fd), "close")) return REAL(close)(fd);
  const int problem = errno;
  REAL(close)(fd);  /* the descriptor is gone whatever close says */
  errno = problem;
  return -1;
}
ssize_t read(int fd, void* bytes, size_t count) {
  return read_fails(concerns_file(fd), "read") ? -1 : REAL(read)(fd, bytes, count);
}
int fstat(int fd, struct stat* about) { return read_fails(concerns_file(fd), "fstat") ? -1 : REAL(fstat)(fd, about); }
int stat(const char* path, struct stat* about) {
  return read_fails(concerns_path(AT_FDCWD, path), "stat") ? -1 : REAL(stat)(path, about);
}
int lstat(const char* path, struct stat* about) {
  return read_fails(concerns_path(AT_FDCWD, path), "lstat") ? -1 : REAL(lstat)(path, about);
}
ssize_t readlink(const char* path, char* bytes, size_t count) {
  /* Our own questions about descriptors concern /proc. */
  if (strncmp(path, "/proc/", 6) != 0 && read_fails(concerns_path(AT_FDCWD, path), "readlink")) return -1;
  return syscall(SYS_readlinkat, AT_FDCWD, path, bytes, count);
}
DIR* opendir(const char* path) { return read_fails(concerns_path(AT_FDCWD, path), "opendir") ? NULL : REAL(opendir)(path); }
FILE* fopen(const char* path, const char* how) {
  return read_fails(concerns_path(AT_FDCWD, path), "fopen") ? NULL : REAL(fopen)(path, how);
}
FILE* fopen64(const char* path, const char* how) {
  return read_fails(concerns_path(AT_FDCWD, path), "fopen") ? NULL : REAL(fopen64)(path, how);
}
