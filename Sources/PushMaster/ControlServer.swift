package import Logging
internal import PushModel

/// The control socket, served on a thread of its own.
///
/// **Promises.** No client holds up another, nor the master: each has ``clientSeconds`` from its acceptance
/// until its request is there and its answer wholly written; while the master carries out an operation, that
/// clock stands still. A bounded number is served at a time, the others wait in the socket's queue.
/// ``stop()`` returns within a second.
package final class ControlServer: Sendable {
    package static let clientSeconds: Int64 = 10
    /// The others wait in the socket's queue.
    package static let mostClients = 64

    enum Mail: Sendable {
        /// The loop has said how it does.
        case told
        /// What a client asked for was carried out; nil: it was not, nor will be.
        case answered(UInt64, [UInt8]?)
        case stop
    }

    private let mailbox: Mailbox<Mail>
    private let thread: DedicatedThread

    /// - Parameters:
    ///   - mark: what a client's operation must bear now, see ``OperationService``; nil: none is carried out
    ///     here.
    ///   - clientSeconds: what a client has for its request and for reading the answer.
    package init(
        besideStore storePath: String, of master: MasterHandle, mark: (@Sendable () -> String)?,
        logger: Logger,
        clientSeconds: Int64 = ControlServer.clientSeconds
    ) throws(MasterError) {
        let socket = try ControlSocket(besideStore: storePath)
        let mailbox = try Mailbox<Mail>()
        self.mailbox = mailbox
        thread = try DedicatedThread(named: "control") {
            var serving = ControlServing(
                socket: socket, mailbox: mailbox, master: master, mark: mark, logger: logger,
                clientSeconds: clientSeconds)
            serving.run()
        }
    }

    /// Ends it, once; answers that are there already are still written.
    package func stop() {
        mailbox.send(.stop)
        thread.join()
    }
}
