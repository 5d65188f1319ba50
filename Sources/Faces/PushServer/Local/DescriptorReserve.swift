internal import Glibc
internal import Logging
internal import NIOCore
internal import PushSystem

/// A handler that allows a listener to accept a client even if the process cannot open more files. The
/// handler keeps a spare descriptor and closes it when a client cannot be accepted, so that the operator can
/// still connect and find the cause.
///
/// The handler is used only on the listener's loop. The next handler, ``NIOCore/AcceptBackoffHandler``, makes
/// the listener accept again after a pause.
final class DescriptorReserve: ChannelInboundHandler {
    typealias InboundIn = Channel

    /// The time that the listener waits before it accepts again.
    static let pause = TimeAmount.milliseconds(100)
    private static let warningInterval = TimeAmount.seconds(60)

    private let logger: Logger
    private var spare: Int32
    private var lastWarning: NIODeadline?

    init(_ logger: Logger) {
        self.logger = logger
        spare = Self.open()
    }

    deinit { if spare >= 0 { close(spare) } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let number = (error as? IOError)?.errnoCode, SystemErrorText.isShortage(number) {
            warn(number)
            giveUp(context)
        }
        context.fireErrorCaught(error)
    }

    private func warn(_ errorNumber: Int32) {
        let now = NIODeadline.now()
        if let lastWarning, now < lastWarning + Self.warningInterval { return }
        lastWarning = now
        logger.warning(
            "cannot accept connections on the Unix socket of the instance: \(SystemErrorText.of(errorNumber))"
        )
    }

    private func giveUp(_ context: ChannelHandlerContext) {
        guard spare >= 0 else { return }
        close(spare)
        spare = -1
        takeBack(context)
    }

    /// Reopens the spare descriptor when the client has disconnected or the process can open files again.
    private func takeBack(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            self.spare = Self.open()
            if self.spare < 0, context.channel.isActive { self.takeBack(context) }
        }
    }

    private static func open() -> Int32 { unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
