internal import Glibc
package import Logging
package import PushConfig
internal import PushModel
internal import PushSchedule
package import PushStore
internal import PushSystem
internal import PushWire
internal import Synchronization

/// The sending half of the engine: one loop over the children's links, one thread that reads the store, one
/// that writes it.
///
/// **Promises.** At most one master serves a store, and nothing is granted before the children of an earlier
/// one are gone. `serve()` returns after an order to shut down, when every outcome that was reported is
/// committed. "serving" is said when all threads run, and no thread is needed that is started later: what
/// runs can be told to end.
/// **Failures.** ``MasterError`` and StoreError before the first child is started, and where the store's
/// files were taken from under it; other troubles are logged and worked around.
package final class MasterService: Sendable {
    private let configuration: ServerConfiguration
    private let connectors: [ConnectorRow]
    private let store: Store
    private let key: InstanceKey
    private let childOrder: ChildProcess.Order
    private let logger: Logger
    private let attempts: (any AttemptLog)?
    private let patienceSeconds: Int64?
    private let secondsPerDay: Int64
    private let host: HostTerms
    /// What a reload said before there was a loop to hear it: a host may stand by for weeks.
    private let early = Mutex<Reconfiguration?>(nil)
    private let relay = WriteRelay()
    /// The store for other services of this process: what they write shares the master's commits.
    package let sharedStore: Store
    /// What other services of this process may ask of it, from now on.
    package let handle: MasterHandle
    private var loopMail: Mailbox<LoopEvent> { handle.loop }

    /// How long a new master waits for the children of the one before: they end when their link closes.
    private static let patienceWithOldChildrenSeconds: Int64 = 30
    /// How long threads may take to end after the deadline by which the store is to have been written.
    private static let joinMilliseconds: Int64 = 500

    /// - Parameters:
    ///   - connectors: what their rows of the catalogue say.
    ///   - children: what they are started with; of the same build as this.
    ///   - attempts: who writes down each attempt where mta/@deliveryLog is set; nil: nobody.
    ///   - patienceWithChildrenSeconds: how long a child may be without progress beyond the slowest
    ///     gateway's time-out; nil: as long as one may need.
    ///   - secondsPerDay: how long a day of retention is.
    ///   - host: this one among those that share the store, where several can.
    package init(
        settings: ServerConfiguration, connectors: [ConnectorRow], store: Store, key: InstanceKey,
        children: ChildProcess.Order, logger: Logger, attempts: (any AttemptLog)? = nil,
        patienceWithChildrenSeconds: Int64? = nil,
        secondsPerDay: Int64 = 86_400, host: HostTerms = HostTerms(name: "", release: "")
    ) throws(MasterError) {
        configuration = settings
        self.connectors = connectors
        self.store = store
        sharedStore = store.writing(through: relay)
        self.key = key
        childOrder = children
        self.attempts = attempts
        self.logger = logger
        patienceSeconds = patienceWithChildrenSeconds
        self.secondsPerDay = secondsPerDay
        self.host = host
        handle = MasterHandle(loop: try Mailbox())
    }

    /// Who writes for everybody in the process, from when the service serves until it ends; nil: nobody now.
    package var writeService: WriteService? { relay.current }

    /// Ends the service, from any thread: what children have may be finished, then ``serve()`` returns. Keeps
    /// nothing alive of what the service has.
    package var shutDown: @Sendable () -> Void { { [loopMail] in loopMail.send(.shutDown) } }

    /// Has a service that runs go on with other settings, from any thread; nobody loses a message by it.
    /// Those that need a restart are passed over.
    /// - Throws: where a file of trusted certificates cannot be read; nothing was changed.
    package func reconfigure(_ configuration: ServerConfiguration) throws(MasterError) {
        loopMail.send(.reconfigured(try reconfiguration(configuration)))
    }

    private func reconfiguration(_ configuration: ServerConfiguration) throws(MasterError) -> Reconfiguration
    {
        var settings = MasterSettings(
            configuration, connectors: connectors, childOrder: childOrder,
            patienceSeconds: patienceSeconds ?? MasterSettings.patienceSeconds)
        settings.retention.secondsPerDay = secondsPerDay
        return Reconfiguration(
            settings: settings, gateways: try GatewaySettings(configuration, connectors: connectors))
    }

    /// How a master that served came to its end.
    package enum End: Sendable {
        case asOrdered
        /// It is to be started again, by mta/@processRestartTime or mta/@maxMemoryMb.
        case toRestart
        /// Files that it served were taken from under it; the log says which.
        case filesChanged
    }

    /// The master's life, on the calling thread: everything that it holds is dropped in order at the end,
    /// locks last.
    /// - Parameter watcher: is notified of each step.
    package func serve(watchedBy watcher: (any ServiceWatcher)? = nil) throws -> End {
        // A file that may not grow is a full disk, which the store survives.
        signal(SIGXFSZ, SIG_IGN)
        let start = try reconfiguration(configuration)
        let settings = start.settings
        let lock = try InstanceLock(besideStore: store.instancePath)
        let register = try store.hostRegister()
        let role = HostRole(isShared: register != nil)
        let keeper = register.map {
            HostKeeper($0, host, role, loop: loopMail, announcing: handle.announcements, logger)
        }
        let only = try keeper == nil ? onlyClaim() : nil
        // At once: a process that sees the lock held may ask. A master that no command can reach does not start:
        // `status` could not show what is wrong with it, nor `stop` end it.
        var socket: LocalSocket? = try LocalSocket(besideStore: store.instancePath)
        try socket.map { try watcher?.reachable(on: $0.descriptor) }
        var isKept = true
        defer {
            if socket != nil { watcher?.leaving() }
            // What has not begun is not under way.
            if isKept { keeper?.stop(saysGoodbye: true) }
        }
        guard try own(keeper, role, only, lock, watcher) else {
            logger.notice("stopped before it served")
            return .asOrdered
        }
        let files = ServedFiles(store: store, lock: lock)
        // Before the first grant: what was opened may have been replaced while it was locked.
        if let change = files.change() { throw MasterError.fileChanged(change) }
        let threads = try startThreads(start, role, keeper, name: register?.host)
        relay.forward(to: threads.writer.service, messages: threads.writer.messages)
        defer { relay.forward(to: nil) }
        logger.notice("serving \(store.path.printable(atMost: 1_000))")
        let loop = LinkLoop(
            settings: settings, files: files, master: handle, reader: threads.readerMail,
            writer: threads.writer, watcher: watcher, role: role, lease: keeper?.sendsUntil,
            logger: logger)
        let end = loop.run()
        // Last answers are written before the store's threads end.
        watcher?.leaving()
        socket = nil
        let last = max(end.deadline, Clocks.monotonic()).advanced(byMilliseconds: Self.joinMilliseconds)
        let isWritten = threads.stop(by: last)
        isKept = false
        keeper?.stop(saysGoodbye: isWritten && end.change == nil && (try? lock.childrenAreGone()) == true)
        if !isWritten {
            logger.warning("leaving while the store is still waited for: what is not recorded is sent again")
            // Until the process ends: that thread may yet write.
            for held in [lock, only, keeper] as [AnyObject?] {
                if let held { unsafe _ = Unmanaged.passRetained(held) }
            }
        }
        // What the writer did after the loop had ended.
        for case .feedbackApplied(let lines) in loopMail.take() {
            for line in lines { logger.info("\(line)") }
        }
        defer {
            // The locks go last: until then no other master may start.
            withExtendedLifetime((lock, only, keeper)) {}
        }
        if let change = end.change { files.leave(change, logger) }
        logger.notice("stopped")
        // It was taken for dead: it begins anew, as a process that has nothing of the old one's state.
        if keeper != nil, end.change?.role == .claim { return .toRestart }
        if end.change != nil { return .filesChanged }
        return end.restarts ? .toRestart : .asOrdered
    }

    /// Waits until this process may send.
    /// - Parameter only: the claim on a store that no hosts share.
    /// - Returns: false where the order to shut down came first.
    private func own(
        _ keeper: HostKeeper?, _ role: HostRole, _ only: (any StoreClaim)?, _ lock: InstanceLock,
        _ watcher: (any ServiceWatcher)?
    ) throws -> Bool {
        if only != nil { try watcher?.owning() }
        // Before another host's place is taken too: children of an earlier process of this host may have gone
        // on under its lease.
        guard try waitForChildren(of: lock, watcher) else { return false }
        guard let keeper else {
            try watcher?.leading()
            return true
        }
        guard try begin(keeper, watcher) else { return false }
        // The loop begins with this: what is renewed tells it what is newer.
        loopMail.send(.hosts(live: role.others + 1, asOf: 0))
        try keeper.startRenewing()
        if let early = early.withLock(\.self) { loopMail.send(.reconfigured(early)) }
        try watcher?.owning()
        return true
    }

    /// Of a store that is one host's by its nature.
    private func onlyClaim() throws -> any StoreClaim {
        guard let claim = try store.claim() else { throw MasterError.anotherMaster(lockFile: store.path) }
        return claim
    }

    /// - Returns: false where the order to shut down came first.
    private func begin(_ keeper: HostKeeper, _ watcher: (any ServiceWatcher)?) throws -> Bool {
        var isToBegin = false
        defer { handle.board.noteStart(waitsFor: nil) }
        return try keeper.begin(
            HostKeeper.StartControl(
                isToldToEnd: { [self] milliseconds in
                    if isToBegin {
                        isToBegin = false
                        do { try watcher?.standingBy() } catch { logger.error("\(error)") }
                    }
                    watcher?.alive()
                    return isToldToEnd(withinMilliseconds: milliseconds)
                },
                waiting: { [handle] what in
                    isToBegin = true
                    handle.board.noteStart(waitsFor: what)
                    handle.withdrawals.noteStandby()
                    handle.searches.noteStandby()
                    watcher?.waiting(for: what)
                }))
    }

    /// Nobody has anything else to say before the loop runs but a reload, which is kept for it; that there is
    /// work the writer's first look finds.
    private func isToldToEnd(withinMilliseconds patience: Int32) -> Bool {
        defer { handle.nudges.take() }
        var isTold = false
        for event in loopMail.wait(atMostMilliseconds: patience) {
            switch event {
            case .shutDown, .shutDownWithin: isTold = true
            case .reconfigured(let new): early.withLock { $0 = new }
            default: break
            }
        }
        return isTold
    }

    /// - Returns: false where the order to shut down came first.
    private func waitForChildren(of lock: InstanceLock, _ watcher: (any ServiceWatcher)?) throws -> Bool {
        if try !lock.childrenAreGone() {
            let limit = Self.patienceWithOldChildrenSeconds
            logger.notice("waiting up to \(limit) s for children of an earlier master to end")
            let what = "children of an earlier master to end, up to \(limit) s"
            handle.board.noteStart(waitsFor: what)
            watcher?.waiting(for: what)
        }
        defer { handle.board.noteStart(waitsFor: nil) }
        return try lock.waitForChildren(atMostSeconds: Self.patienceWithOldChildrenSeconds) {
            isToldToEnd(withinMilliseconds: 20)
        }
    }

    /// - Parameter name: of this host, where it is one of several.
    private func startThreads(
        _ start: Reconfiguration, _ role: HostRole, _ keeper: HostKeeper?, name: String?
    ) throws -> StoreThreads {
        let messages = try store.messageReader()
        let settings = start.settings
        let writer = try WriterInbox(
            store: store, loop: loopMail, rules: settings.verdicts, capacity: settings.capacity,
            attempts: attempts, role: role,
            writerName: name.map { "host \($0)" } ?? "master")
        return try StoreThreads(
            writer: writer,
            reader: { [store, key, loopMail] mail in
                StoreReader(
                    mailbox: mail, loop: loopMail, store: store, messages: messages, key: key,
                    gateways: start.gateways,
                    feedbackPeriodSeconds: settings.feedbackPeriodSeconds, leases: keeper?.leases())
            },
            writing: { [store, key] inbox in
                StoreWriter(
                    inbox: inbox, pollSeconds: settings.pollSeconds,
                    catalogue: store.catalogueWriter(key: key), retention: settings.retention)
            })
    }
}

/// Whoever started the service, as the service speaks to it. Nothing here may wait.
package protocol ServiceWatcher: Sendable {
    /// This process alone may serve the store from now on, and may wait for long until it does.
    /// - Parameter socket: a listening ``LocalSocket``, open until ``leaving()``.
    func reachable(on socket: Int32) throws
    /// What other processes ask is answered no more. May wait a moment for what has begun.
    func leaving()
    /// The store is this process's, and nothing is sent yet: what else it is to serve may begin, and what
    /// cannot keeps it from serving.
    func owning() throws
    /// It does not send yet, and may not for long; what else this process serves may begin. May be said again.
    func standingBy() throws
    /// What one process does for all that share the store is this one's from now on.
    func leading() throws
    /// It is not ready yet, because of this.
    func waiting(for what: String)
    /// All that it needs runs.
    func serving()
    /// Its loop turns: said once a second.
    func alive()
    /// It takes nothing new.
    func stopping()
    /// The same, and it is back in a moment.
    func restarting()
}

extension ServiceWatcher {
    package func reachable(on socket: Int32) throws {}
    package func leaving() {}
    package func owning() throws {}
    package func standingBy() throws {}
    package func leading() throws {}
}
