#define _GNU_SOURCE
#include "include/push_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int push_spawn(const char *path, char *const *argv, int link, int lock, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error, spare_link = -1, spare_lock = -1;

    if ((error = posix_spawn_file_actions_init(&actions)) != 0) return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* dup2 of a descriptor onto itself keeps close-on-exec, and the first dup2 can overwrite the descriptor
       that the second one copies. Duplicates with higher numbers avoid both problems. */
    spare_link = fcntl(link, F_DUPFD_CLOEXEC, 10);
    spare_lock = fcntl(lock, F_DUPFD_CLOEXEC, 10);
    if (spare_link < 0 || spare_lock < 0) {
        error = errno;
        goto done;
    }
    sigemptyset(&none);
    sigfillset(&all);
    if ((error = posix_spawnattr_setsigmask(&attributes, &none)) != 0) goto done;
    if ((error = posix_spawnattr_setsigdefault(&attributes, &all)) != 0) goto done;
    if ((error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)) != 0)
        goto done;
    if ((error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) != 0) goto done;
    if ((error = posix_spawn_file_actions_adddup2(&actions, spare_link, 3)) != 0) goto done;
    if ((error = posix_spawn_file_actions_adddup2(&actions, spare_lock, 4)) != 0) goto done;
    if ((error = posix_spawn_file_actions_addclosefrom_np(&actions, 5)) != 0) goto done;
    error = posix_spawn(process, path, &actions, &attributes, argv, environ);
done:
    if (spare_link >= 0) close(spare_link);
    if (spare_lock >= 0) close(spare_lock);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int push_spawn_detached(const char *path, char *const *argv, int log, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error, spare_log = -1;

    if ((error = posix_spawn_file_actions_init(&actions)) != 0) return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    if ((spare_log = fcntl(log, F_DUPFD_CLOEXEC, 10)) < 0) {
        error = errno;
        goto done;
    }
    sigemptyset(&none);
    sigfillset(&all);
    if ((error = posix_spawnattr_setsigmask(&attributes, &none)) != 0) goto done;
    if ((error = posix_spawnattr_setsigdefault(&attributes, &all)) != 0) goto done;
    if ((error = posix_spawnattr_setflags(
             &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID)) != 0)
        goto done;
    if ((error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) != 0) goto done;
    if ((error = posix_spawn_file_actions_adddup2(&actions, spare_log, 1)) != 0) goto done;
    if ((error = posix_spawn_file_actions_adddup2(&actions, spare_log, 2)) != 0) goto done;
    if ((error = posix_spawn_file_actions_addclosefrom_np(&actions, 3)) != 0) goto done;
    if ((error = posix_spawn_file_actions_addchdir_np(&actions, "/")) != 0) goto done;
    error = posix_spawn(process, path, &actions, &attributes, argv, environ);
done:
    if (spare_log >= 0) close(spare_log);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int push_adopts_orphans(void) {
    int is_subreaper = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper) == 0 && is_subreaper != 0);
}

pid_t push_ended_child(void) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    /* si_pid is a macro, which Swift cannot use. */
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}

int push_flock(int descriptor, int operation) {
    int result;
    do result = flock(descriptor, operation);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

struct push_thread_start {
    char name[16];
    void (*body)(void *);
    void *argument;
};

static void *push_thread_main(void *start_argument) {
    struct push_thread_start start = *(struct push_thread_start *)start_argument;
    free(start_argument);
    prctl(PR_SET_NAME, start.name);
    start.body(start.argument);
    return NULL;
}

int push_thread(const char *name, void (*body)(void *), void *argument) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    struct push_thread_start *start;
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t mask, before;
    size_t index;
    int error;

    if ((start = calloc(1, sizeof *start)) == NULL) return ENOMEM;
    strncpy(start->name, name, sizeof start->name - 1);
    start->body = body;
    start->argument = argument;
    if ((error = pthread_attr_init(&attributes)) != 0) {
        free(start);
        return error;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* A thread inherits the signal mask of the thread that creates it. */
    sigfillset(&mask);
    for (index = 0; index < sizeof own / sizeof own[0]; index++) sigdelset(&mask, own[index]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    error = pthread_create(&thread, &attributes, push_thread_main, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error != 0) free(start);
    return error;
}

void push_limit_thread_stacks(size_t bytes) {
    pthread_attr_t attributes;
    size_t preset;

    if (pthread_getattr_default_np(&attributes) != 0) return;
    if (pthread_attr_getstacksize(&attributes, &preset) == 0 && preset > bytes &&
        pthread_attr_setstacksize(&attributes, bytes) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

void push_close_on_exec(int first) {
#ifdef CLOSE_RANGE_CLOEXEC
    /* An older kernel that does not support this call leaves the descriptors unchanged. */
    (void)close_range((unsigned)first, ~0U, CLOSE_RANGE_CLOEXEC);
#else
    (void)first;
#endif
}

int push_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int push_socketpair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0 ? 0 : errno;
}

static int push_unix_address(const char *path, struct sockaddr_un *address) {
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    strcpy(address->sun_path, path);
    return 0;
}

/* Closes the descriptor, if it is valid, and preserves errno. Returns -1. */
static int push_unix_close(int descriptor) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    errno = error;
    return -1;
}

static int push_unix_bind(int descriptor, const char *path) {
    struct sockaddr_un address;
    if (push_unix_address(path, &address) != 0) return -1;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

/* Binds to a path that is longer than a socket address allows: binds to a short name in the same folder,
   through a descriptor of the folder, and then renames the socket. */
static int push_unix_bind_long(int descriptor, const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder_path, name[32], place[64];
    int folder, result;

    folder_path = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (folder_path == NULL) return -1;
    folder = open(folder_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(folder_path);
    if (folder < 0) return -1;
    snprintf(name, sizeof name, ".socket-%d", (int)getpid());
    snprintf(place, sizeof place, "/proc/self/fd/%d/%s", folder, name);
    unlinkat(folder, name, 0);
    result = push_unix_bind(descriptor, place);
    if (result == 0 && renameat(folder, name, folder, slash == NULL ? path : slash + 1) != 0) {
        int error = errno;
        unlinkat(folder, name, 0);
        errno = error;
        result = -1;
    }
    if (result != 0) return push_unix_close(folder);
    close(folder);
    return 0;
}

/* Reports whether the path is too long for a socket address. */
static int push_unix_is_long(const char *path) {
    return strlen(path) >= sizeof((struct sockaddr_un *)NULL)->sun_path;
}

/* Returns a socket of this kind that is bound to `path` with mode 0600, or -1 with errno set. */
static int push_unix_bound(const char *path, int kind) {
    int descriptor = socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (descriptor < 0) return -1;
    /* On Linux, the file gets the mode that the socket has when it is bound, minus the umask. */
    if (fchmod(descriptor, 0600) != 0) return push_unix_close(descriptor);
    if ((push_unix_is_long(path) ? push_unix_bind_long(descriptor, path)
                                 : push_unix_bind(descriptor, path)) != 0)
        return push_unix_close(descriptor);
    return descriptor;
}

int push_unix_datagram_listen(const char *path) { return push_unix_bound(path, SOCK_DGRAM); }

int push_unix_datagram(const char *path, const void *bytes, size_t count) {
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    int descriptor, error = 0;

    if (push_unix_address(path, &address) != 0) return errno;
    if (path[0] == '@') {
        address.sun_path[0] = 0;
        length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    }
    descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return errno;
    if (sendto(descriptor, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address, length) < 0)
        error = errno;
    close(descriptor);
    return error;
}

int push_unix_listen(const char *path) {
    int descriptor;

    unlink(path);
    descriptor = push_unix_bound(path, SOCK_STREAM);
    if (descriptor >= 0 && listen(descriptor, 64) != 0) return push_unix_close(descriptor);
    return descriptor;
}

int push_unix_connect(const char *path, int milliseconds) {
    struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    struct sockaddr_un address;
    char place[32];
    int descriptor, file = -1, result;

    if (push_unix_is_long(path)) {
        /* connect(2) follows this link to the socket, regardless of the length of the socket's path. */
        if ((file = open(path, O_PATH | O_CLOEXEC)) < 0) return -1;
        snprintf(place, sizeof place, "/proc/self/fd/%d", file);
        path = place;
    }
    descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    result = descriptor < 0 ? -1 : push_unix_address(path, &address);
    /* The time limit for sending also applies to connecting while the listener's queue is full (unix(7)). */
    if (result == 0 && milliseconds > 0)
        result = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (result == 0) result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    if (result != 0) push_unix_close(descriptor);
    if (file >= 0) push_unix_close(file);
    return result == 0 ? descriptor : -1;
}

int push_unix_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int push_unix_peer(int descriptor, uid_t *user, pid_t *process) {
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return errno;
    *user = peer.uid;
    *process = peer.pid;
    return 0;
}

ssize_t push_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent;
    do sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}
