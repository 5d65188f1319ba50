internal import Dispatch
package import PushConfig
package import PushModel
package import PushStore

/// One instance of the system, opened: what every use case is given, and all that it is given.
///
/// **Promises.** Nothing here is global: two instances in one process do not meet. A use case says all that
/// it has to say in its answer or its error; it prints nothing and asks nobody.
/// **Neighbours.** ``ShortOperation`` and ``LongOperation``: the use cases, one a file, in folders by noun.
/// ``SendingEngine``: what is asked of the sending side.
package struct Operations: Sendable {
    package let configuration: LoadedConfiguration
    package let store: Store
    package let engine: any SendingEngine
    package let clock: OperationsClock
    /// The caller, for the audit trail: a token's name, or the user of a command.
    package let caller: String
    /// What operations on single messages remember.
    let messageCache: MessageCache
    package let waits: WaitingThreads

    /// - Parameters:
    ///   - messageCache: of a process that serves many of them.
    ///   - waits: the same.
    package init(
        configuration: LoadedConfiguration, store: Store, engine: any SendingEngine, clock: OperationsClock,
        caller: String, messageCache: MessageCache = MessageCache(), waits: WaitingThreads = WaitingThreads()
    ) {
        self.configuration = configuration
        self.store = store
        self.engine = engine
        self.clock = clock
        self.caller = caller
        self.messageCache = messageCache
        self.waits = waits
    }

    /// The same instance for another caller, with another engine or with a store that notes a change.
    package func with(
        caller: String? = nil, engine: (any SendingEngine)? = nil, store: Store? = nil
    ) -> Operations {
        Operations(
            configuration: configuration, store: store ?? self.store, engine: engine ?? self.engine,
            clock: clock, caller: caller ?? self.caller, messageCache: messageCache, waits: waits)
    }

    /// The same instance for one use case, whose line is in the audit trail once it has changed anything.
    package func noting<Use: Audited>(_ use: Use) -> Operations {
        note(of: use, at: clock.moment()).map { with(store: store.noting($0)) } ?? self
    }

    /// A new line for the audit trail; nil: the use case has none.
    func note<Use: Audited>(of use: Use, at moment: WallMoment) -> AuditNote? {
        use.auditText.map { AuditNote(who: caller, action: Use.name, $0, at: moment) }
    }

    var settings: ServerConfiguration { configuration.settings }

    /// How long what has ended is kept.
    var retention: RetentionRules {
        RetentionRules(
            messageDays: settings.nmac.retentionDays,
            quarantineSeconds: Int64(settings.nmac.quarantine.purgeDelaySec))
    }

    /// Made by the first use case that needs it.
    func key() throws(StoreError) -> InstanceKey { try store.instanceKey() }

    /// Does what is asked, or has it done by the process that serves the store: see ``ChangingOperation``.
    /// - Throws: what became of it instead; after a refusal nothing was changed.
    package func carryOut<Use: ShortOperation>(_ operation: Use) throws(OperationError) -> Use.Answer {
        if operation is any ChangingOperation || engine.refusal != nil,
            let answer = try carriedOutElsewhere(operation)
        {
            return answer
        }
        if let refusal = engine.refusal { throw OperationError(refusal) }
        return try carryOutHere(operation)
    }

    /// - Returns: nil if nothing was done.
    private func carriedOutElsewhere<Use: ShortOperation>(
        _ operation: Use
    ) throws(OperationError) -> Use.Answer? {
        guard let use = operation as? any UseCase else { return nil }
        return try use.perform { engine.carryOut($0, for: caller) } as? Use.Answer
    }

    /// Does what is asked, and asks nobody.
    func carryOutHere<Use: ShortOperation>(_ operation: Use) throws(OperationError) -> Use.Answer {
        if let order = operation as? any Order {
            record(order)
            do { return try operation.perform(in: self) } catch { throw OperationError(error) }
        }
        do { return try operation.perform(in: noted(operation)) } catch { throw OperationError(error) }
    }

    /// Does what is asked, in steps.
    /// - Throws: what became of it instead; steps that were done before stay done.
    package func carryOut<Use: LongOperation>(
        _ operation: Use, watchedBy watch: Watch<Use.Progress> = Watch()
    ) throws(OperationError) -> Use.Answer {
        if let refusal = engine.refusal { throw OperationError(refusal) }
        do { return try operation.perform(in: noted(operation), watchedBy: watch) } catch {
            throw OperationError(error)
        }
    }

    /// How long the store is waited for with an order's line.
    private static let orderMilliseconds = 2_000

    private func record<Use: Order>(_ order: Use) {
        guard let text = order.auditText else { return }
        let (who, now, writer) = (caller, clock.moment(), store.auditWriter)
        let recorded = DispatchSemaphore(value: 0)
        waits.run({ result in if case .success = result { recorded.signal() } }) {
            () throws(OperationError) in
            do { try writer.note(who: who, action: Use.name, what: text.what, at: now) } catch {
                throw OperationError(error)
            }
        }
        let limit = DispatchTime.now() + .milliseconds(Self.orderMilliseconds)
        guard recorded.wait(timeout: limit) == .timedOut else { return }
        let what = [Use.name, text.what].filter { !$0.isEmpty }.joined(separator: " ")
        engine.warn("the store does not take the audit trail's line: \(who): \(what)")
    }

    private func noted(_ operation: some Sendable) -> Operations {
        (operation as? any Audited).map { noting($0) } ?? self
    }
}

/// The clocks that use cases go by; tests have their own.
package struct OperationsClock: Sendable {
    /// The wall's.
    package var moment: @Sendable () -> WallMoment
    /// One that never steps.
    package var monotonic: @Sendable () -> MonotonicTime

    package init(
        moment: @escaping @Sendable () -> WallMoment, monotonic: @escaping @Sendable () -> MonotonicTime
    ) {
        self.moment = moment
        self.monotonic = monotonic
    }
}
