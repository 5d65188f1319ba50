// Readiness, signals, clocks and sockets of pushsink. See push_sink.h.

#define _GNU_SOURCE
#include "push_sink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int push_sink_poll_make(void) {
    // By default, the kernel wakes threads up to 50 µs late to save power: 0.25 % of a delay of 20 ms.
    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    return epoll_create1(EPOLL_CLOEXEC);
}

int push_sink_poll_watch(int poll, int descriptor, uint64_t tag, bool read, bool write, bool is_first) {
    struct epoll_event event = {.events = (read ? EPOLLIN : 0) | (write ? EPOLLOUT : 0), .data.u64 = tag};
    return epoll_ctl(poll, is_first ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

int push_sink_poll_wait(int poll, uint64_t *ready, int capacity, uint64_t nanoseconds) {
    struct epoll_event events[256];
    if (capacity > 256) capacity = 256;
    struct timespec limit = {
        .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    int count = epoll_pwait2(poll, events, capacity, &limit, NULL);
    // Kernels before Linux 5.11 and the system call filters of some containers do not support epoll_pwait2.
    if (count < 0 && (errno == ENOSYS || errno == EPERM))
        count = epoll_wait(poll, events, capacity, (int)((nanoseconds + 999999) / 1000000));
    for (int i = 0; i < count; i++) ready[i] = events[i].data.u64;
    return count < 0 ? 0 : count;
}

int push_sink_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int push_sink_next_signal(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void push_sink_lift_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t push_sink_cpu_nanoseconds(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }
uint64_t push_sink_monotonic_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }
uint64_t push_sink_wall_nanoseconds(void) { return nanoseconds(CLOCK_REALTIME); }

// MARK: Sockets

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} push_sink_address;

static socklen_t address_of(const char *text, uint16_t port, push_sink_address *address) {
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &address->four.sin_addr) == 1) {
        address->four.sin_family = AF_INET;
        address->four.sin_port = htons(port);
        return sizeof address->four;
    }
    if (inet_pton(AF_INET6, text, &address->six.sin6_addr) == 1) {
        address->six.sin6_family = AF_INET6;
        address->six.sin6_port = htons(port);
        return sizeof address->six;
    }
    return 0;
}

bool push_sink_is_loopback(const char *text) {
    push_sink_address address;
    if (address_of(text, 0, &address) == 0) return false;
    if (address.any.sa_family == AF_INET) return (ntohl(address.four.sin_addr.s_addr) >> 24) == 127;
    return IN6_IS_ADDR_LOOPBACK(&address.six.sin6_addr);
}

int push_sink_listen(const char *text, uint16_t port, uint16_t *bound) {
    push_sink_address address;
    socklen_t length = address_of(text, port, &address);
    if (length == 0) {
        errno = EINVAL;
        return -1;
    }
    int listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    int on = 1;
    // Allows a restarted sink to use its port again immediately. It does not allow two sinks to share a port.
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, &address.any, length) != 0 || listen(listener, 4096) != 0
        || getsockname(listener, &address.any, &length) != 0) {
        int cause = errno;
        close(listener);
        errno = cause;
        return -1;
    }
    *bound = ntohs(address.any.sa_family == AF_INET ? address.four.sin_port : address.six.sin6_port);
    return listener;
}

int push_sink_accept(int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return -1;
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}

void push_sink_arm_reset(int descriptor) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
