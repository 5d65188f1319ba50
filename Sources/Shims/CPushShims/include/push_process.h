#ifndef PUSH_PROCESS_H
#define PUSH_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/* Starts `path` with `argv`. The child gets `link` as descriptor 3, `lock` as descriptor 4, the null device
   as standard input, this process's standard output and standard error, and no other descriptor. It starts
   with default signal dispositions and an empty signal mask. Returns 0 and the process ID, or an error
   number, as posix_spawn does. */
int push_spawn(const char *_Nonnull path, char *_Nullable const *_Nonnull argv, int link, int lock,
               pid_t *_Nonnull process);

/* flock(2), which Swift cannot distinguish from the structure of the same name. Returns 0 or an error
   number. */
int push_flock(int descriptor, int operation);

/* Starts a detached thread with this name (the kernel keeps 15 bytes) that calls `body` once. The thread
   receives only signals that it causes itself. Returns 0 or an error number, as pthread_create does. In case
   of an error, `body` is not called. */
int push_thread(const char *_Nonnull name, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

/* Limits the stacks of threads that start later to this number of bytes, unless a thread's stack size is set
   explicitly. Without this call, the limit is that of the main thread's stack (ulimit -s), which can be
   unlimited. */
void push_limit_thread_stacks(size_t bytes);

/* Returns a non-blocking, close-on-exec event counter, or -1 with errno set. */
int push_eventfd(void);

/* Marks all descriptors from `first` on as close-on-exec, so that the next execve(2) of this process closes
   them. Libraries do not mark all of their descriptors. */
void push_close_on_exec(int first);

/* Creates a connected pair of non-blocking, close-on-exec stream sockets. Returns 0 or an error number. */
int push_socketpair(int pair[_Nonnull 2]);

/* Returns a listening, non-blocking, close-on-exec Unix stream socket at `path` with mode 0600, or -1 with
   errno set. Replaces a stale socket file at `path`. The path may be longer than a socket address allows. */
int push_unix_listen(const char *_Nonnull path);

/* Returns a blocking, close-on-exec Unix stream socket that is connected to `path`, or -1 with errno set. The
   path may have any length. The time limit (0 means no limit) applies while the listener's queue is full, and
   later while the socket waits for room to write. */
int push_unix_connect(const char *_Nonnull path, int milliseconds);

/* Returns a non-blocking, close-on-exec socket of a client that waits at `listener`, or -1 with errno set. */
int push_unix_accept(int listener);

/* Gets the user and the process of the peer of a connected Unix socket. Returns 0 or an error number. */
int push_unix_peer(int descriptor, uid_t *_Nonnull user, pid_t *_Nonnull process);

/* Returns a non-blocking, close-on-exec Unix datagram socket that is bound to `path` with mode 0600, or -1
   with errno set. */
int push_unix_datagram_listen(const char *_Nonnull path);

/* Sends one datagram to the Unix socket at `path` without waiting. A path that begins with '@' is an abstract
   name. Returns 0 or an error number. */
int push_unix_datagram(const char *_Nonnull path, const void *_Nonnull bytes, size_t count);

/* Starts `path` with `argv` as the leader of a new session in the folder "/", with no blocked and no ignored
   signals. Its standard input is /dev/null, its standard output and standard error are `log`, and it has no
   other descriptor. Returns 0 or an error number, as posix_spawn does. */
int push_spawn_detached(const char *_Nonnull path, char *_Nullable const *_Nonnull argv, int log,
                        pid_t *_Nonnull process);

/* Reports whether the kernel makes this process the parent of orphans of other processes, because it is the
   first process of a container or a child subreaper (prctl(2)). */
int push_adopts_orphans(void);

/* Returns a child of this process that has ended and has not been reaped, or 0 if there is none. Does not
   reap the child. */
pid_t push_ended_child(void);

/* Calls send(2) without SIGPIPE. */
ssize_t push_send(int descriptor, const void *_Nonnull bytes, size_t count);

#endif
