internal import CPushShims
internal import Glibc

/// A waker for a thread that waits in poll(2). Any other thread may use it.
final class Waker: Sendable {
    /// Readable between ``wake()`` and ``rest()``. If the value is negative, there is no descriptor, and each
    /// wait lasts until its time limit.
    let descriptor: Int32 = push_eventfd()

    deinit { if descriptor >= 0 { close(descriptor) } }

    func wake() {
        var one: UInt64 = 1
        unsafe _ = write(descriptor, &one, 8)
    }

    func rest() {
        var count: UInt64 = 0
        unsafe _ = read(descriptor, &count, 8)
    }

    func wait(atMostMilliseconds limit: Int32) {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        unsafe _ = poll(&item, 1, limit)
    }
}
