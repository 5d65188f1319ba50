internal import Glibc
package import Logging
package import PushConfig
internal import PushModel
internal import PushSchedule
package import PushStore
internal import PushSystem
internal import PushWire
internal import Synchronization

/// The sending half of the engine: one loop over the children's links, one thread that reads the store, and
/// one thread that writes it.
///
/// **Promises.** At most one master serves a store, and nothing is granted before the children of an earlier
/// master have ended. `serve()` returns after an order to shut down, when every reported outcome is
/// committed. "serving" is logged when all threads run. The service needs no thread that starts later, so a
/// running service can always be ended. **Failures.** ``MasterError`` and StoreError before the first child
/// is started, and if the store's files were replaced or removed while in use. Other troubles are logged and
/// worked around.
package final class MasterService: Sendable {
    private let configuration: ServerConfiguration
    private let connectors: [ConnectorRow]
    private let store: Store
    private let key: InstanceKey
    private let childOrder: ChildProcess.Order
    private let logger: Logger
    private let attempts: (any AttemptLog)?
    private let writtenFiles: @Sendable () -> [WrittenFile]
    private let patienceSeconds: Int64?
    private let secondsPerDay: Int64
    private let host: HostOptions
    /// A reload that arrived before there was a loop to receive it. A host may stand by for weeks without a
    /// loop.
    private let early = Mutex<Reconfiguration?>(nil)
    private let relay = WriteRelay()
    /// The store for other services of this process. Their writes share the master's commits.
    package let sharedStore: Store
    /// The interface for other services of this process, usable even before the service begins to serve.
    package let handle: MasterHandle
    private var loopMail: Mailbox<LoopEvent> { handle.loop }

    /// How long a new master waits for the children of its predecessor, which end when their link closes.
    private static let patienceWithOldChildrenSeconds: Int64 = 30
    /// The maximum time for threads to end after the deadline for writing the store.
    private static let joinMilliseconds: Int64 = 500

    /// - Parameters:
    ///   - connectors: The connectors' rows in the catalogue.
    ///   - children: The parameters for starting children, which run the same build as this process.
    ///   - attempts: The log of each attempt, used if mta/@deliveryLog is set; `nil` if there is none.
    ///   - writtenFiles: Returns the files that the process currently writes, apart from the instance's
    ///     files.
    ///   - patienceWithChildrenSeconds: The time for which a child may make no progress, in addition to the
    ///     slowest gateway's time-out; `nil` means ``MasterSettings/patienceSeconds``.
    ///   - secondsPerDay: The length of a day of retention.
    ///   - host: The options of this host, which are used only if several hosts can share the store.
    package init(
        settings: ServerConfiguration, connectors: [ConnectorRow], store: Store, key: InstanceKey,
        children: ChildProcess.Order, logger: Logger, attempts: (any AttemptLog)? = nil,
        writtenFiles: @escaping @Sendable () -> [WrittenFile] = { [] },
        patienceWithChildrenSeconds: Int64? = nil,
        secondsPerDay: Int64 = 86_400, host: HostOptions = HostOptions(name: "", release: "")
    ) throws(MasterError) {
        configuration = settings
        self.connectors = connectors
        self.store = store
        sharedStore = store.writing(through: relay)
        self.key = key
        childOrder = children
        self.attempts = attempts
        self.writtenFiles = writtenFiles
        self.logger = logger
        patienceSeconds = patienceWithChildrenSeconds
        self.secondsPerDay = secondsPerDay
        self.host = host
        handle = MasterHandle(loop: try Mailbox())
    }

    /// The service that writes for the whole process while this service serves; `nil` outside that time.
    package var writeService: WriteService? { relay.current }

    /// Ends the service, from any thread. Children may finish their messages, and then ``serve()`` returns.
    /// The closure retains only the loop's mailbox, not the service.
    package var shutDown: @Sendable () -> Void { { [loopMail] in loopMail.send(.shutDown) } }

    /// Applies changed settings to a running service, from any thread, without losing messages. Settings that
    /// require a restart are ignored.
    /// - Throws: An error if a file of trusted certificates cannot be read. In that case, nothing is changed.
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

    /// How a master ended after it had served.
    package enum End: Sendable {
        case asOrdered
        /// The master must be started again, because of mta/@processRestartTime or mta/@maxMemoryMb.
        case toRestart
        /// Files that the master served were replaced or removed. The log names them.
        case filesChanged
    }

    /// Runs the master on the calling thread until the master ends. At the end, the master releases
    /// everything in order, the locks last.
    /// - Parameter watcher: The object that the service notifies of each step.
    package func serve(watchedBy watcher: (any ServiceWatcher)? = nil) throws -> End {
        // With SIGXFSZ ignored, a write beyond the maximum file size fails like a write to a full disk, which
        // the store survives.
        signal(SIGXFSZ, SIG_IGN)
        let start = try reconfiguration(configuration)
        let settings = start.settings
        let lock = try InstanceLock(forStore: store.instancePath)
        let register = try store.hostRegister()
        let role = HostRole(isShared: register != nil)
        let keeper = register.map {
            HostCoordinator($0, host, role, loop: loopMail, announcing: handle.announcements, logger)
        }
        let only = try keeper == nil ? onlyClaim() : nil
        // The socket is opened immediately, because a process that cannot get the lock may send a request. A
        // master that no command can reach does not start, because `status` could not show its trouble and
        // `stop` could not end it.
        var socket: LocalSocket? = try LocalSocket(forStore: store.instancePath)
        try socket.map { try watcher?.reachable(on: $0.descriptor) }
        var isKept = true
        defer {
            if socket != nil { watcher?.leaving() }
            // Nothing is under way yet, so other hosts may take this host's place immediately.
            if isKept { keeper?.stop(saysGoodbye: true) }
        }
        guard try own(keeper, role, only, lock, watcher) else {
            logger.notice("stopped before the service was ready")
            return .asOrdered
        }
        let files = ServedFiles(store: store, lock: lock)
        // Checked before the first grant, because the files may have been replaced between opening and
        // locking.
        if let change = files.change() { throw MasterError.fileChanged(change) }
        let threads = try startThreads(start, role, keeper, name: register?.host)
        let disks = try DiskWatch(
            instancePath: store.instancePath, isStore: store.engineIsFile, others: writtenFiles, loopMail)
        defer { disks.stop() }
        relay.forward(to: threads.writer.service, messages: threads.writer.messages)
        defer { relay.forward(to: nil) }
        logger.notice("serving \(store.path.printable(atMost: 1_000))")
        let loop = LinkLoop(
            settings: settings, files: files, master: handle, reader: threads.readerMail,
            writer: threads.writer, watcher: watcher, role: role, lease: keeper?.sendsUntil,
            logger: logger)
        let end = loop.run()
        // The last answers are written before the store's threads end.
        watcher?.leaving()
        socket = nil
        let last = max(end.deadline, Clocks.monotonic()).advanced(byMilliseconds: Self.joinMilliseconds)
        let isWritten = threads.stop(by: last)
        isKept = false
        keeper?.stop(saysGoodbye: isWritten && end.change == nil && (try? lock.childrenAreGone()) == true)
        if !isWritten {
            logger.warning("\(Self.unfinishedLine)")
            // A thread of the store might still write, so these objects are retained until the process ends.
            for held in [lock, only, keeper] as [AnyObject?] {
                if let held { unsafe _ = Unmanaged.passRetained(held) }
            }
        }
        // The writer may send results after the end of the loop.
        for case .feedbackApplied(let lines) in loopMail.take() {
            for line in lines { logger.info("\(line)") }
        }
        defer {
            // The locks are released last. Until then no other master may start.
            withExtendedLifetime((lock, only, keeper)) {}
        }
        if let change = end.change { files.leave(change, logger) }
        logger.notice("stopped")
        // Other hosts considered this one dead. This host starts again as a new process, without any of the
        // old state.
        if keeper != nil, end.change?.role == .claim { return .toRestart }
        if end.change != nil { return .filesChanged }
        return end.restarts ? .toRestart : .asOrdered
    }

    /// Waits until this process may send.
    /// - Parameter only: The claim on a store that is not shared by several hosts.
    /// - Returns: `false` if the order to shut down arrived first.
    private func own(
        _ keeper: HostCoordinator?, _ role: HostRole, _ only: (any StoreClaim)?, _ lock: InstanceLock,
        _ watcher: (any ServiceWatcher)?
    ) throws -> Bool {
        if only != nil { try watcher?.owning() }
        // This host waits for the children of its earlier process even before it takes another host's place,
        // because these children may have continued under the earlier process's lease.
        guard try waitForChildren(of: lock, watcher) else { return false }
        guard let keeper else {
            try watcher?.leading()
            return true
        }
        guard try begin(keeper, watcher) else { return false }
        // The loop begins with this information. Each renewal of the lease reports newer information.
        loopMail.send(.hosts(live: role.others + 1, asOf: 0))
        try keeper.startRenewing()
        if let early = early.withLock(\.self) { loopMail.send(.reconfigured(early)) }
        try watcher?.owning()
        return true
    }

    private static let unfinishedLine = """
        exiting although the store has not finished writing: unrecorded messages are sent again after the \
        next start; check the store's disk or server
        """

    /// Returns the log line for a part of the service that cannot start when the service itself is already
    /// running.
    static func partFailure(_ error: any Error) -> String {
        "\(error); the service continues without this part: correct the cause, and restart the service"
    }

    /// Returns the claim on a store that only one host can use.
    private func onlyClaim() throws -> any StoreClaim {
        guard let claim = try store.claim() else { throw MasterError.anotherMaster(lockFile: store.path) }
        return claim
    }

    /// - Returns: `false` if the order to shut down arrived first.
    private func begin(_ keeper: HostCoordinator, _ watcher: (any ServiceWatcher)?) throws -> Bool {
        var isToBegin = false
        defer { handle.board.noteStart(waitsFor: nil) }
        return try keeper.begin(
            HostCoordinator.StartControl(
                shouldEnd: { [self] milliseconds in
                    if isToBegin {
                        isToBegin = false
                        do { try watcher?.standingBy() } catch {
                            logger.error("\(Self.partFailure(error))")
                        }
                    }
                    watcher?.alive()
                    return shouldEnd(withinMilliseconds: milliseconds)
                },
                waiting: { [handle] what in
                    isToBegin = true
                    handle.board.noteStart(waitsFor: what)
                    handle.withdrawals.noteStandby()
                    handle.searches.noteStandby()
                    watcher?.waiting(for: what)
                }))
    }

    /// Waits for an order to end. Before the loop runs, the only other relevant event is a reload, which is
    /// kept for the loop. Events about new work are not needed, because the writer's first look finds such
    /// work.
    private func shouldEnd(withinMilliseconds patience: Int32) -> Bool {
        defer { handle.wakeUps.take() }
        var isRequested = false
        for event in loopMail.wait(atMostMilliseconds: patience) {
            switch event {
            case .shutDown, .shutDownWithin: isRequested = true
            case .reconfigured(let new): early.withLock { $0 = new }
            default: break
            }
        }
        return isRequested
    }

    /// - Returns: `false` if the order to shut down arrived first.
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
            shouldEnd(withinMilliseconds: 20)
        }
    }

    /// - Parameter name: The id of this host, if several hosts can share the store; otherwise `nil`.
    private func startThreads(
        _ start: Reconfiguration, _ role: HostRole, _ keeper: HostCoordinator?, name: String?
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

/// The interface through which the service notifies the program that started it. These functions must not
/// wait, unless stated otherwise.
package protocol ServiceWatcher: Sendable {
    /// From now on, only this process may serve the store. It may have to wait for a long time before it does
    /// so.
    /// - Parameter socket: A listening ``LocalSocket``, open until ``leaving()``.
    func reachable(on socket: Int32) throws
    /// Requests from other processes are no longer answered. The function may wait a moment for requests that
    /// have begun.
    func leaving()
    /// The store belongs to this process, and nothing is sent yet. The other services of the process may
    /// begin. If one of them throws an error, the process does not serve.
    func owning() throws
    /// The process does not send yet, and might not for a long time. The other services of the process may
    /// begin. May be called repeatedly.
    func standingBy() throws
    /// From now on, this process does the work that one process does for all processes that share the store.
    func leading() throws
    /// The service is not ready yet, for the given reason.
    func waiting(for what: String)
    /// Everything that the service needs is running.
    func serving()
    /// The loop is running. Called once a second.
    func alive()
    /// The service accepts nothing new.
    func stopping()
    /// The service accepts nothing new, but will continue after a restart in a moment.
    func restarting()
}

extension ServiceWatcher {
    package func reachable(on socket: Int32) throws {}
    package func leaving() {}
    package func owning() throws {}
    package func standingBy() throws {}
    package func leading() throws {}
}
