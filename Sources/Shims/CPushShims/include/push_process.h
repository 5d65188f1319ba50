#ifndef PUSH_PROCESS_H
#define PUSH_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/* Starts `path` with `argv`, giving the child `link` as descriptor 3 and `lock` as descriptor 4 and nothing else but
   0, 1 and 2; standard input is the null device. The child starts with default signal dispositions and an empty mask.
   Returns 0 and the process number, or the error number: posix_spawn's contract. */
int push_spawn(const char *_Nonnull path, char *_Nullable const *_Nonnull argv, int link, int lock,
               pid_t *_Nonnull process);

/* flock(2), which Swift cannot tell from the structure of the same name. 0, or the error number. */
int push_flock(int descriptor, int operation);

/* Starts a detached thread of that name (the kernel keeps 15 bytes) that calls `body` once. It receives only
   those signals that a thread causes itself. Returns 0, or the error number as pthread_create does; `body` is
   not called then. */
int push_thread(const char *_Nonnull name, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

/* Limits the stacks of threads that start later to so many bytes, except those with an explicit size. The
   default is the limit of the main thread's stack (ulimit -s), which may be unlimited. */
void push_limit_thread_stacks(size_t bytes);

/* A non-blocking, close-on-exec event counter, or -1 with errno set. */
int push_eventfd(void);

/* All descriptors from this one on are closed by the next execve(2) of this process: libraries do not mark all of theirs
   so. */
void push_close_on_exec(int first);

/* A connected pair of non-blocking, close-on-exec stream sockets. 0, or the error number. */
int push_socketpair(int pair[_Nonnull 2]);

/* A listening, non-blocking, close-on-exec Unix stream socket at `path`, mode 0600; or -1 with errno set. A stale
   socket file at that place is replaced. The path may be longer than a socket's address. */
int push_unix_listen(const char *_Nonnull path);

/* A blocking, close-on-exec Unix stream socket connected to `path`, of any length, or -1 with errno set. The
   time limit (0: none) applies while the listener's queue is full, and later to waiting for room to write. */
int push_unix_connect(const char *_Nonnull path, int milliseconds);

/* A non-blocking, close-on-exec socket of a client that waits at `listener`, or -1 with errno set. */
int push_unix_accept(int listener);

/* The user and the process on the other side of a connected Unix socket. 0, or the error number. */
int push_unix_peer(int descriptor, uid_t *_Nonnull user, pid_t *_Nonnull process);

/* A bound, non-blocking, close-on-exec Unix datagram socket at `path`, mode 0600, or -1 with errno set. */
int push_unix_datagram_listen(const char *_Nonnull path);

/* Sends one datagram to the Unix socket at `path`, without waiting; a path that begins with '@' is an abstract name.
   0, or the error number. */
int push_unix_datagram(const char *_Nonnull path, const void *_Nonnull bytes, size_t count);

/* Starts `path` with `argv` as the leader of a session of its own, in the folder "/", with no signal blocked and none
   ignored: /dev/null is its input, and `log` its output and errors; it has no other descriptor. 0, or the error
   number: posix_spawn's contract. */
int push_spawn_detached(const char *_Nonnull path, char *_Nullable const *_Nonnull argv, int log,
                        pid_t *_Nonnull process);

/* Whether the kernel makes this process the parent of others' orphans: as the first process of a container, or as a
   child subreaper (prctl(2)). */
int push_adopts_orphans(void);

/* A child of this process that has ended and is yet to be reaped, which this does not do; 0 if there is none. */
pid_t push_ended_child(void);

/* send(2) without SIGPIPE. */
ssize_t push_send(int descriptor, const void *_Nonnull bytes, size_t count);

#endif
