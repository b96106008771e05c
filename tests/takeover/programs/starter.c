/* Asks for a file in the ways that programs have, or starts a program in one of them.
 *   starter asks FILE
 *   starter execve|execv|execvp|spawn|spawnp|alone PROGRAM WORD...      alone: without the library that is loaded first */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int asks(const char* file) {
    struct stat info;
    struct statx more;
    int from = open(file, O_RDWR);
    printf("open %d\n", from >= 0);
    from = openat(AT_FDCWD, file, O_RDONLY);
    printf("openat %d\n", from >= 0);
    printf("access %d\n", access(file, R_OK | W_OK) == 0);
    printf("faccessat %d\n", faccessat(AT_FDCWD, file, F_OK, 0) == 0);
    printf("stat %d\n", stat(file, &info) == 0 && S_ISCHR(info.st_mode));
    printf("lstat %d\n", lstat(file, &info) == 0 && S_ISCHR(info.st_mode));
    printf("fstatat %d\n", fstatat(AT_FDCWD, file, &info, 0) == 0 && S_ISCHR(info.st_mode));
    printf("statx %d\n", statx(AT_FDCWD, file, 0, STATX_BASIC_STATS, &more) == 0 && S_ISCHR(more.stx_mode));
    return 0;
}

static int waits(pid_t process) {
    int state = 0;
    waitpid(process, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 99;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const char* const way = argv[1];
    char** const words = argv + 2;
    pid_t process = 0;
    if (strcmp(way, "asks") == 0) return asks(argv[2]);
    if (strcmp(way, "spawn") == 0)
        return posix_spawn(&process, words[0], NULL, NULL, words, environ) ? 1 : waits(process);
    if (strcmp(way, "spawnp") == 0)
        return posix_spawnp(&process, words[0], NULL, NULL, words, environ) ? 1 : waits(process);
    if (strcmp(way, "alone") == 0) unsetenv("LD_PRELOAD");
    /* As popen, Python and others do. */
    process = vfork();
    if (process == 0) {
        if (strcmp(way, "execve") == 0) execve(words[0], words, environ);
        if (strcmp(way, "execvp") == 0) execvp(words[0], words);
        execv(words[0], words);
        _exit(errno == ENOENT ? 3 : 4);
    }
    return waits(process);
}
