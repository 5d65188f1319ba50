package import Logging
internal import PushModel

/// The control socket, served on a thread of its own.
///
/// **Promises.** No client holds up another, nor the master: each has ``ControlServing/clientSeconds`` from its
/// acceptance until its answer is wholly written, not counting the time in which the master carries out what it asked;
/// a bounded number is served at a time, the others wait in the socket's queue. ``stop()`` returns within a second.
package final class ControlServer: Sendable {
    enum Mail: Sendable {
        /// The loop has said how it does.
        case told
        /// What a client asked for was carried out; nil: it was not, nor will be.
        case answered(UInt64, [UInt8]?)
        case stop
    }

    private let mailbox: Mailbox<Mail>
    private let thread: DedicatedThread

    /// - Parameter mark: what a client's operation must bear, see ``OperationService``; nil: none is carried out here.
    package init(
        besideStore storePath: String, of master: MasterHandle, mark: String?, logger: Logger
    ) throws(MasterError) {
        let socket = try ControlSocket(besideStore: storePath)
        let mailbox = try Mailbox<Mail>()
        self.mailbox = mailbox
        thread = try DedicatedThread(named: "control") {
            var serving = ControlServing(
                socket: socket, mailbox: mailbox, master: master, mark: mark, logger: logger)
            serving.run()
        }
    }

    /// Ends it, once; answers that are there already are still written.
    package func stop() {
        mailbox.send(.stop)
        thread.join()
    }
}
