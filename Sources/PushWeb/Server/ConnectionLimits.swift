internal import NIOCore
internal import Synchronization

/// What a single connection may cost. Others of the same kind are Hummingbird's own, see ``WebServer``.
///
/// **Promises.** It is counted while it is open. A client that does not read what it asked for is let go.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    /// While the client takes nothing.
    private static let longestBacklog = TimeAmount.seconds(10)

    private let count: ConnectionCount
    private var isCounted = false
    private var end: Scheduled<Void>?

    init(_ count: ConnectionCount) { self.count = count }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { opened() } }

    func channelActive(context: ChannelHandlerContext) {
        opened()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { closed() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        end?.cancel()
        end = nil
        if !context.channel.isWritable {
            let channel = context.channel
            end = context.eventLoop.scheduleTask(in: Self.longestBacklog) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    private func opened() {
        guard !isCounted else { return }
        isCounted = true
        count.add(1)
    }

    private func closed() {
        end?.cancel()
        end = nil
        guard isCounted else { return }
        isCounted = false
        count.add(-1)
    }
}

/// Connections that are open.
final class ConnectionCount: Sendable {
    private let count = Atomic(0)
    var now: Int { count.load(ordering: .relaxed) }
    func add(_ change: Int) { count.add(change, ordering: .relaxed) }
}
