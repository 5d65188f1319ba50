internal import Glibc

/// A port of this machine's loopback address that is nobody else's while this value lives.
///
/// It is bound and not listened at: a gateway that allows the reuse of addresses can be started there, again
/// and again, and while there is none a connection is refused. Without it the port of a gateway that is down
/// may be given to another testbed's gateway, and its messages go there.
final class ReservedPort: Sendable {
    let number: Int
    private let descriptor: Int32

    init() throws(LoadError) { (descriptor, number) = try LoopbackSocket.bind(listens: false) }

    deinit { close(descriptor) }
}
