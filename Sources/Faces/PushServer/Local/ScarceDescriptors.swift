internal import Glibc
internal import Logging
internal import NIOCore
internal import PushSystem

/// Lets a listener accept a client when the process can open no more files: it keeps a descriptor that it gives up then,
/// so that the operator can ask what is wrong.
///
/// On the listener's loop alone. What accepts again after a while is behind it: ``NIOCore/AcceptBackoffHandler``.
final class ScarceDescriptors: ChannelInboundHandler {
    typealias InboundIn = Channel

    /// How long the listener waits before it accepts again.
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
            "cannot accept clients on the Unix socket of the instance: \(SystemErrorText.of(errorNumber))")
    }

    private func giveUp(_ context: ChannelHandlerContext) {
        guard spare >= 0 else { return }
        close(spare)
        spare = -1
        takeBack(context)
    }

    /// When the client has gone, or files can be opened again.
    private func takeBack(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            self.spare = Self.open()
            if self.spare < 0, context.channel.isActive { self.takeBack(context) }
        }
    }

    private static func open() -> Int32 { unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
