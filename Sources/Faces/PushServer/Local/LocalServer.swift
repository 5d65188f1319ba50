internal import Dispatch
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import PushModel
internal import PushSystem

/// An HTTP/1.1 server on a Unix socket that is already listening. Hummingbird's own server is not used,
/// because it limits the length of the path, and cannot set the mode of a socket to 0600 before the socket
/// has a name.
final class LocalServer: Sendable {
    private let listener: any Channel
    private let connections: ConnectionTable
    /// The open connections.
    private let open = DispatchGroup()

    init(
        _ socket: Int32, _ connections: ConnectionTable, _ group: MultiThreadedEventLoopGroup,
        _ responder: RouterResponder<WebContext>, _ logger: Logger
    ) throws(WebError) {
        let web = WebChannel(
            http: WebChannel.http(responder), tls: nil, executors: LoopExecutors(group),
            connections: connections)
        let bootstrap = ServerBootstrap(group: group).serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(
                    DescriptorReserve(logger),
                    AcceptBackoffHandler { _ in DescriptorReserve.pause })
            }
        }.childChannelInitializer { [open] channel in
            Self.user(of: channel).flatMap { user in
                web.setup(channel: channel, logger: WebChannel.quiet).map { value in
                    open.enter()
                    Task(executorPreference: web.executors.of(channel.eventLoop)) {
                        await LocalCaller.$name.withValue(LocalCaller.name(ofUser: user)) {
                            await web.handle(value: value, logger: WebChannel.quiet)
                        }
                        open.leave()
                    }
                }
            }
        }
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 3)
        do {
            listener = try bootstrap.withBoundSocket(descriptor).wait()
        } catch {
            close(descriptor)
            throw WebError(
                "cannot serve the Unix socket of the instance: \(error); start the service again")
        }
        self.connections = connections
    }

    /// Stops accepting connections and completes the requests that have begun.
    /// - Returns: Whether all requests were complete at the deadline.
    func drain(until deadline: MonotonicTime) -> Bool {
        listener.close(promise: nil)
        connections.end()
        let left = max(deadline.milliseconds(since: Clocks.monotonic()), 0)
        return open.wait(timeout: .now() + .milliseconds(Int(left))) == .success
    }

    /// Returns the user id of the client.
    private static func user(of channel: any Channel) -> EventLoopFuture<UInt32> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let peer: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: SO_PEERCRED))
        return peer.map(\.user)
    }
}

/// Linux's `struct ucred`, which the `Glibc` module does not expose.
private struct PeerCredentials: Sendable {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
}

/// The client of a connection to the Unix socket.
package enum LocalCaller {
    /// Returns the name that the audit trail shows for a user who runs commands.
    package static func name(ofUser user: UInt32) -> String { "user \(user) (command)" }

    /// The caller's name for the audit trail; `nil` if the request did not arrive on the Unix socket.
    @TaskLocal static var name: String?
}
