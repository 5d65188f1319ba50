#include "push_transport.h"

#include <sys/epoll.h>
#include <unistd.h>

int push_poll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

bool push_poll_watch(int poll, int descriptor, bool reads, bool writes) {
    struct epoll_event event = {
        .events = (reads ? EPOLLIN : 0u) | (writes ? EPOLLOUT : 0u), .data.fd = descriptor};
    /* A descriptor is added once, but the events that it is watched for change often. */
    if (epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event) == 0) return true;
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void push_poll_forget(int poll, int descriptor) {
    struct epoll_event none = {0};
    epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, &none);
}

int push_poll_wait(int poll, push_poll_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[PUSH_POLL_AT_ONCE];
    int count = epoll_wait(
        poll, events, capacity < PUSH_POLL_AT_ONCE ? capacity : PUSH_POLL_AT_ONCE, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].descriptor = events[i].data.fd;
        ready[i].readable = (events[i].events & ~(uint32_t)EPOLLOUT) != 0;
        ready[i].writable = (events[i].events & EPOLLOUT) != 0;
    }
    return count < 0 ? 0 : count;
}
