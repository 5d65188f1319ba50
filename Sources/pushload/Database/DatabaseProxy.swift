internal import Dispatch
internal import Glibc
internal import Synchronization

/// The network between one host and the database's server, which can be cut: a port of the loopback address whose
/// connections go on to the server's Unix socket, by a thread of its own.
///
/// **Promises.** While it is cut no byte passes. What was on its way arrives when it is mended, as in a network,
/// unless its connections are reset. Neither end is told of a cut: what it sends is acknowledged, and waits.
package final class DatabaseProxy: Sendable {
    package enum Passage: String, Sendable, CaseIterable {
        case open
        /// Nothing passes, and whoever connects hears nothing.
        case silent
        /// What is asked arrives, and no answer comes back.
        case unanswered
        /// Nothing passes, and whoever connects is refused.
        case refusing
    }

    package let port: Int
    private let listener: Int32
    /// Tells the thread of a change, and that it is to end.
    private let bell: Int32
    private let wish = Mutex(Wish())
    private let hasEnded = DispatchSemaphore(value: 0)

    struct Wish {
        var passage = Passage.open
        var resets = false
        var isOver = false
    }

    /// - Parameter server: the path of its socket.
    package init(to server: String) throws(LoadError) {
        (listener, port) = try LoopbackSocket.bind(SOCK_NONBLOCK, listens: true)
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            close(listener)
            throw LoadError.system("pipe", on: server)
        }
        for end in ends { ProxyLines.makePrivate(end) }
        let heard = ends[0]
        bell = ends[1]
        DispatchQueue(label: "database proxy").async { [self] in
            var lines = ProxyLines(server: server, listener: listener, bell: heard)
            repeat {
                let change = wish.withLock { wish in
                    defer { wish.resets = false }
                    return wish
                }
                lines.turn(change)
                if change.isOver { break }
            } while true
            close(heard)
            hasEnded.signal()
        }
    }

    /// - Parameter resetsConnections: those that there are end on both sides; else they go on where they were.
    package func set(_ passage: Passage, resetsConnections: Bool = false) {
        wish.withLock { wish in
            wish.passage = passage
            wish.resets = wish.resets || resetsConnections
        }
        ring()
    }

    /// Ends all connections and the thread. Once.
    package func end() {
        wish.withLock { $0.isOver = true }
        ring()
        hasEnded.wait()
        close(listener)
        close(bell)
    }

    private func ring() {
        var byte: UInt8 = 1
        _ = unsafe write(bell, &byte, 1)
    }
}
