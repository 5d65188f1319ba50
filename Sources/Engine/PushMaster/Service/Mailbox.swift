internal import CPushShims
internal import Glibc
internal import Synchronization

/// Messages from any thread to one thread, which may sleep in poll(2) on ``descriptor`` until the next
/// message arrives.
package final class Mailbox<Message: Sendable>: Sendable {
    private let queue = Mutex<[Message]>([])
    /// Readable while messages may wait.
    package let descriptor: Int32

    package init() throws(MasterError) {
        descriptor = push_eventfd()
        guard descriptor >= 0 else {
            throw .system(what: "create", path: "an event counter", errorNumber: errno)
        }
    }

    deinit { close(descriptor) }

    package func send(_ message: Message) {
        let wasEmpty = queue.withLock { queue in
            queue.append(message)
            return queue.count == 1
        }
        if wasEmpty { wake() }
    }

    /// Returns all waiting messages in order of arrival.
    package func take() -> [Message] {
        var count: UInt64 = 0
        unsafe _ = read(descriptor, &count, 8)
        return queue.withLock { queue in
            let messages = queue
            queue = []
            return messages
        }
    }

    /// Sleeps until a message arrives or the time has passed, and then returns all waiting messages. With
    /// `nil`, the function sleeps until a message arrives.
    package func wait(atMostMilliseconds timeout: Int32?) -> [Message] {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        unsafe _ = poll(&item, 1, timeout ?? -1)
        return take()
    }

    private func wake() {
        var one: UInt64 = 1
        unsafe _ = write(descriptor, &one, 8)
    }
}
