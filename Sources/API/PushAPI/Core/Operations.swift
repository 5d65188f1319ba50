internal import Dispatch
package import PushConfig
package import PushModel
package import PushStore

/// An open instance of the system. It contains everything that a use case can use.
///
/// **Promises.** Nothing here is global: two instances in one process do not affect each other. A use case
/// reports everything in its answer or its error. It prints nothing and prompts no user.
/// **Neighbours.** ``ShortOperation`` and ``LongOperation``: the use cases, one per file, in folders by noun.
/// ``SendingEngine``: the requests to the sending side.
package struct Operations: Sendable {
    package let configuration: LoadedConfiguration
    package let store: Store
    package let engine: any SendingEngine
    package let clock: OperationsClock
    /// The caller's name for the audit trail: a token's name, `person NAME` for a person in the console, or
    /// the user who runs a command.
    package let caller: String
    /// The scopes of the caller; `nil` if the caller may do everything, as on the Unix socket.
    package let scopes: Set<AccessScope>?
    /// The cache that operations on single messages use.
    let messageCache: MessageCache
    /// The cache that registrations of devices use.
    let registrationCache: RegistrationCache
    /// What the operations of one process remember about people and their sessions.
    let people: PeopleMemory
    package let waits: WaitingThreads

    /// - Parameters:
    ///   - messageCache: The cache that the operations of one process share.
    ///   - registrationCache: The cache that the operations of one process share.
    ///   - people: The memory that the operations of one process share.
    ///   - waits: The waiting threads that the operations of one process share.
    package init(
        configuration: LoadedConfiguration, store: Store, engine: any SendingEngine, clock: OperationsClock,
        caller: String, scopes: Set<AccessScope>? = nil, messageCache: MessageCache = MessageCache(),
        registrationCache: RegistrationCache = RegistrationCache(), people: PeopleMemory = PeopleMemory(),
        waits: WaitingThreads = WaitingThreads()
    ) {
        self.configuration = configuration
        self.store = store
        self.engine = engine
        self.clock = clock
        self.caller = caller
        self.scopes = scopes
        self.messageCache = messageCache
        self.registrationCache = registrationCache
        self.people = people
        self.waits = waits
    }

    /// Returns the same instance for another caller, with another engine, or with another store, such as one
    /// that writes a line to the audit trail together with the next change.
    /// - Parameter scopes: The scopes of the caller; `nil` means the present ones.
    package func with(
        caller: String? = nil, scopes: Set<AccessScope>? = nil, engine: (any SendingEngine)? = nil, store: Store? = nil
    ) -> Operations {
        Operations(
            configuration: configuration, store: store ?? self.store, engine: engine ?? self.engine,
            clock: clock, caller: caller ?? self.caller, scopes: scopes ?? self.scopes,
            messageCache: messageCache, registrationCache: registrationCache, people: people, waits: waits)
    }

    /// A function that makes the next use of each cache read the apps again.
    var forgetApps: @Sendable () -> Void {
        { [messageCache, registrationCache] in
            messageCache.forgetServiceApps()
            registrationCache.forgetAll()
        }
    }

    /// Returns the same instance for one use case, whose line is written to the audit trail when the use case
    /// changes anything.
    @_semantics("optimize.sil.specialize.generic.never")
    package func noting<Use: Audited>(_ use: Use) -> Operations {
        note(of: use, at: clock.moment()).map { with(store: store.noting($0)) } ?? self
    }

    /// Returns a new line for the audit trail; `nil` if the use case has none.
    @_semantics("optimize.sil.specialize.generic.never")
    func note<Use: Audited>(of use: Use, at moment: WallMoment) -> AuditNote? {
        use.auditText.map { AuditNote(who: caller, action: Use.name, $0, at: moment) }
    }

    var settings: ServerConfiguration { configuration.settings }

    /// The retention periods of ended objects.
    var retention: RetentionRules {
        RetentionRules(
            messageDays: settings.nmac.retentionDays,
            quarantineSeconds: Int64(settings.nmac.quarantine.purgeDelaySec))
    }

    /// Returns the instance key. The first use case that needs the key creates it.
    func key() throws(StoreError) -> InstanceKey { try store.instanceKey() }

    /// Carries out an operation, or has it carried out by the process that serves the store: see
    /// ``ChangingOperation``.
    /// - Throws: The reason why there is no answer. After a refusal, nothing was changed.
    @_semantics("optimize.sil.specialize.generic.never")
    package func carryOut<Use: ShortOperation>(_ operation: Use) throws(OperationError) -> Use.Answer {
        if operation is any ChangingOperation || engine.refusal != nil,
            let answer = try carriedOutElsewhere(operation)
        {
            return answer
        }
        if let refusal = engine.refusal { throw OperationError(refusal) }
        return try carryOutHere(operation)
    }

    /// - Returns: `nil` if no other process carried out the operation.
    @_semantics("optimize.sil.specialize.generic.never")
    private func carriedOutElsewhere<Use: ShortOperation>(
        _ operation: Use
    ) throws(OperationError) -> Use.Answer? {
        guard let use = operation as? any UseCase else { return nil }
        // The other process does not learn the caller's scopes.
        try (operation as? any ScopeGrant)?.checkScopes(of: self)
        return try use.perform { engine.carryOut($0, for: caller) } as? Use.Answer
    }

    /// Carries out an operation in this process, without sending a request to another process.
    @_semantics("optimize.sil.specialize.generic.never")
    func carryOutHere<Use: ShortOperation>(_ operation: Use) throws(OperationError) -> Use.Answer {
        if let order = operation as? any Order {
            return try recording(order) { () throws(OperationError) -> Use.Answer in
                do { return try operation.perform(in: self) } catch { throw OperationError(error) }
            }
        }
        do { return try operation.perform(in: noted(operation)) } catch { throw OperationError(error) }
    }

    /// Carries out an operation in steps.
    /// - Throws: The reason why there is no answer. Steps that were completed before the error are not
    ///   undone.
    @_semantics("optimize.sil.specialize.generic.never")
    package func carryOut<Use: LongOperation>(
        _ operation: Use, watchedBy watch: Watch<Use.Progress> = Watch()
    ) throws(OperationError) -> Use.Answer {
        if let refusal = engine.refusal { throw OperationError(refusal) }
        do { return try operation.perform(in: noted(operation), watchedBy: watch) } catch {
            throw OperationError(error)
        }
    }

    /// How long an order waits for the store to record its audit line.
    private static let orderMilliseconds = 2_000

    /// Carries out an order, and writes its line to the audit trail.
    @_semantics("optimize.sil.specialize.generic.never")
    private func recording<Use: Order, Answer>(
        _ order: Use, _ perform: () throws(OperationError) -> Answer
    ) throws(OperationError) -> Answer {
        if Use.endsProcess { record(order) }
        do throws(OperationError) {
            let answer = try perform()
            if !Use.endsProcess { record(order) }
            return answer
        } catch {
            record(order, refusedBecause: error)
            throw error
        }
    }

    /// - Parameter error: The reason for which the order was refused; `nil` if it was not.
    @_semantics("optimize.sil.specialize.generic.never")
    private func record<Use: Order>(_ order: Use, refusedBecause error: OperationError? = nil) {
        guard let text = order.auditText else { return }
        let refusal = error.map { "refused: \($0.lines.first?.firstSentence ?? "")" }
        let what = [text.what, refusal ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        let (who, now, writer) = (caller, clock.moment(), store.auditWriter)
        let recorded = DispatchSemaphore(value: 0)
        waits.run({ result in if case .success = result { recorded.signal() } }) {
            () throws(OperationError) in
            do { try writer.note(who: who, action: Use.name, what: what, at: now) } catch {
                throw OperationError(error)
            }
        }
        let limit = DispatchTime.now() + .milliseconds(Self.orderMilliseconds)
        if recorded.wait(timeout: limit) == .timedOut { warn(ofUnrecorded: Use.name, what) }
    }

    /// Warns that the store did not accept the use case's line for the audit trail.
    @_semantics("optimize.sil.specialize.generic.never")
    func warn<Use: Audited>(ofUnrecorded use: Use) {
        if let text = use.auditText { warn(ofUnrecorded: Use.name, text.what) }
    }

    private func warn(ofUnrecorded action: String, _ what: String) {
        let line = [action, what].filter { !$0.isEmpty }.joined(separator: " ")
        engine.warn(
            """
            the store does not accept a line for the audit trail: \(caller): \(line); the audit trail may \
            lack this line; check the store's disk or server
            """)
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func noted(_ operation: some Sendable) -> Operations {
        (operation as? any Audited).map { noting($0) } ?? self
    }
}

/// The clocks that use cases use. Tests supply their own.
package struct OperationsClock: Sendable {
    /// The wall clock.
    package var moment: @Sendable () -> WallMoment
    /// A clock that is unaffected when the wall clock is set.
    package var monotonic: @Sendable () -> MonotonicTime

    package init(
        moment: @escaping @Sendable () -> WallMoment, monotonic: @escaping @Sendable () -> MonotonicTime
    ) {
        self.moment = moment
        self.monotonic = monotonic
    }
}
