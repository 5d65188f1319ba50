package import PushModel
package import PushSchedule
package import PushStore
internal import PushSystem
internal import PushWire

/// The master's reading thread. It finds parts and due retries, and turns read orders into frames for the
/// link, with one copy per message.
package struct StoreReader {
    package enum Job: Sendable {
        /// Find parts that are not completed, in the order of their numbers.
        case findParts(after: PartID?)
        /// Find again the app's left-out parts up to this part.
        case findPartsAgain(PartLedger.PartsLeftOut, upTo: PartID)
        /// Determine the accounts for these parts, which follow all parts found so far.
        case address([PreparedPart])
        case findRetries
        /// Share the store with other hosts according to this order.
        case share(SharingOrder)
        case read(ReadOrder)
        /// A grant has ended. Its retries may be found again.
        case released(GrantID)
        /// The messages of this grant were lost when their child ended and must not be sent again.
        case giveUp(GrantID)
        /// These messages have ended and are no longer due.
        case forget([MessageID])
        /// Answer with ``LoopEvent/found(_:isHeld:)``: whether a child has this message, which was tried
        /// before.
        case find(MessageID)
        /// The part has no waiting ranges and no open grants, or it must be forgotten until it is found
        /// again.
        case closed(PartID)
        case finished(DeliveryID)
        /// Answer with ``LoopEvent/turned(_:)``.
        case ping
        /// Use these settings from now on.
        case reconfigure(Reconfiguration)
        case stop
    }

    /// The maximum number of parts that one search returns.
    package static let partsPerSearch = 200
    private static let retriesPerPage = 1_000
    /// The page size for retries of single messages, which may all have different contents.
    private static let retriesAroundOne = 50

    private let mailbox: Mailbox<Job>
    let loop: Mailbox<LoopEvent>
    private let work: WorkReader
    private let messages: MessageReader
    private let cipher: MessageIDCipher
    var directory: AccountDirectory
    var parts = KnownParts()
    private var messageJobs = MessageJobs()
    /// Due messages that children have, keyed by grant. The store still lists these messages as due.
    private var heldRetries: [GrantID: (app: AppID, delivery: DeliveryID, messages: [MessageID])] = [:]
    private var held: Set<MessageID> = []
    /// For each app, the place among its single messages where the last grant began. All messages before that
    /// place were examined a moment ago.
    private var retryPlaces: [AppID: RetryPlace] = [:]
    private var feedback: FeedbackCalendar
    /// The size of an entry in the last grant. The next grant usually belongs to the same delivery, so its
    /// entries have about the same size.
    private var entryBytes = GrantFrameBuilder.usualEntryBytes
    /// Used only if several hosts share the store.
    let leases: (any PartLeases)?
    var looks = 0
    var sharing = SharingOrder()

    package init(
        mailbox: Mailbox<Job>, loop: Mailbox<LoopEvent>, store: Store, messages: MessageReader,
        key: InstanceKey,
        gateways: GatewaySettings, feedbackPeriodSeconds: Int64, leases: (any PartLeases)? = nil
    ) {
        self.leases = leases
        self.mailbox = mailbox
        self.loop = loop
        work = store.work
        self.messages = messages
        cipher = MessageIDCipher(key: key)
        feedback = FeedbackCalendar(catalogue: store.catalogue, periodSeconds: feedbackPeriodSeconds)
        directory = AccountDirectory(store: store, key: key, gateways: gateways) { loop.send($0) }
    }

    /// Runs until the thread is ordered to stop.
    package mutating func run() {
        while true {
            for job in mailbox.wait(atMostMilliseconds: nil) {
                if case .stop = job { return }
                perform(job)
            }
        }
    }

    private mutating func perform(_ job: Job) {
        do {
            switch job {
            case .findParts(let last): try findParts(after: last)
            case .findPartsAgain(let search, let last): try findPartsAgain(search, upTo: last)
            case .address(let prepared):
                loop.send(.addressed(try addressed(prepared)))
            case .findRetries: try findRetries()
            case .share(let order): try share(order)
            case .read(let order): try read(order)
            case .released(let grant): release(grant)
            case .giveUp(let grant):
                // These messages are kept in `held` until they have ended, because the store still lists them
                // as due.
                guard let lost = heldRetries.removeValue(forKey: grant) else { break }
                loop.send(.givenUp(lost.messages, of: lost.delivery))
            case .forget(let messages): held.subtract(messages)
            case .find(let message): loop.send(.found(message, isHeld: held.contains(message)))
            case .closed(let part): parts.remove(part)
            case .finished(let delivery):
                directory.forget(delivery)
                parts.removeAll(of: delivery)
            case .ping: loop.send(.turned(.reader))
            case .reconfigure(let new):
                feedback.periodSeconds = new.settings.feedbackPeriodSeconds
                try directory.reconfigure(new.gateways)
            case .stop: break
            }
        } catch {
            if let error = error as? StoreError, let delivery = error.delivery, error.remedy == .setAside {
                loop.send(.unreadable(delivery, why: "\(error)"))
            } else {
                loop.send(.readFailure("\(error)"))
            }
            // The loop waits for an answer to each of these jobs.
            switch job {
            case .read(let order): loop.send(.unread(order.grant))
            case .findParts, .findPartsAgain: loop.send(.partSearchFailed)
            case .address: loop.send(.addressFailed)
            case .findRetries: loop.send(.retriesDue([:]))
            case .share, .released, .giveUp, .forget, .find, .closed, .finished, .ping, .reconfigure, .stop:
                break
            }
        }
    }

    private mutating func findParts(after last: PartID?) throws {
        let open = try work.openParts(after: last, limit: Self.partsPerSearch)
        loop.send(.parts(try addressed(open), last: open.last, hasMore: open.count == Self.partsPerSearch))
    }

    private mutating func findPartsAgain(_ search: PartLedger.PartsLeftOut, upTo last: PartID) throws {
        let range = min(search.first, last)...last
        let open = try work.openParts(of: search.app, range, limit: Self.partsPerSearch)
        let next =
            open.count == Self.partsPerSearch ? open.last.map { PartID(rawValue: $0.rawValue + 1) } : nil
        loop.send(.partsAgain(search, try addressed(open), next: next))
    }

    private mutating func addressed(_ open: OpenParts) throws -> [FoundPart] {
        for (part, delivery) in open.damaged {
            loop.send(
                .unreadable(delivery, why: "the row of its part \(part) does not identify its messages"))
        }
        return try addressed(
            open.parts.map { PreparedPart(part: $0, priority: open.priorities[$0.delivery] ?? .normal) })
    }

    private mutating func addressed(_ parts: [PreparedPart]) throws -> [FoundPart] {
        try directory.refresh(Set(parts.map(\.part.app)))
        var found: [FoundPart] = []
        for prepared in parts {
            let part = prepared.part
            do {
                let account = try directory.account(of: part.app)
                found.append(
                    FoundPart(
                        part: part, account: account, priority: prepared.priority,
                        committed: prepared.committed))
                self.parts.insert(part)
            } catch let error as AccountDirectory.Unaddressable {
                // Trouble with one part affects only that part. Other parts must not wait.
                loop.send(.unaddressable(part.id, why: error.why))
            }
        }
        return found
    }

    private mutating func findRetries() throws {
        retryPlaces = [:]
        try directory.refresh()
        let now = Clocks.wall()
        try shareParts(at: now)
        var due: [AppID: AccountID] = [:]
        for app in try messages.appsWithRetries(dueBy: now) {
            guard let account = try? directory.account(of: app) else { continue }
            // If more messages are due than children have, at least one is free. If a full page is due, some
            // messages are assumed to be free.
            let held = heldRetries.values.reduce(0) { $0 + ($1.app == app ? $1.messages.count : 0) }
            let limit = min(held + 1, Self.retriesPerPage)
            let found = try messages.retryingDue(app: app, dueBy: now, limit: limit)
            if found > held || found == Self.retriesPerPage { due[app] = account }
        }
        loop.send(.retriesDue(due))
        for (account, apps) in try feedback.due(directory.appsWithFeedback(), at: now) {
            loop.send(.feedbackDue(account, apps))
        }
    }

    private mutating func read(_ order: ReadOrder) throws {
        switch order.source {
        case .range(let id, let range):
            // The part is unknown if a search that was under way when the part was closed found the part
            // again before the order to close it arrived.
            if parts[id] == nil, let found = try work.openPart(id) { parts.insert(found) }
            try takeIfShared(id)
            guard let part = parts[id] else {
                return loop.send(.filled(order, job: nil, frame: [], messages: 0))
            }
            let job = try job(
                of: order.grant, delivery: part.delivery, content: part.content, app: part.app,
                at: Clocks.wall())
            if mustWait(order, part.delivery, part.content, part.app) { return }
            var builder = GrantFrameBuilder(
                grant: order.grant, job: job,
                expectedMessages: Int(range.upperBound.rawValue - range.lowerBound.rawValue) + 1,
                entryBytes: entryBytes,
                since: order.since)
            var ids = cipher.run(of: part.delivery)
            var integers = integers(of: part.delivery, part.content, app: part.app)
            let extent = directory.extent(delivery: part.delivery, content: part.content, app: part.app)
            let count = try messages.pending(in: part, range: range, reading: extent) {
                message, token, _, parameters in
                builder.append(
                    message, id: ids.id(of: message),
                    integerID: integers?.id(of: part.ordinal(of: message)) ?? part.ordinal(of: message),
                    attempts: 0, token: token, parameters: parameters)
            }
            entryBytes = builder.likelyEntryBytes
            loop.send(.filled(order, job: job, frame: count > 0 ? builder.finish() : [], messages: count))
        case .retries(let app, let limit):
            try readRetries(order, app: app, limit: limit)
        }
    }

    /// Reports whether the delivery's rate was unknown to the loop when it created the order. If so, the
    /// reader reports the rate to the loop with the job, and the messages wait for another order.
    private func mustWait(
        _ order: ReadOrder, _ delivery: DeliveryID, _ content: MessageContentID, _ app: AppID
    ) -> Bool {
        guard order.allowances[delivery] == nil,
            directory.hasRate(delivery: delivery, content: content, app: app)
        else { return false }
        loop.send(.withoutAllowance(order.grant))
        return true
    }

    /// Returns the job of the grant.
    private mutating func job(
        of grant: GrantID, delivery: DeliveryID, content: MessageContentID, app: AppID, at now: WallTime?
    ) throws -> JobID {
        let job = try directory.job(delivery: delivery, content: content, app: app, at: now)
        if content != .ofDelivery {
            messageJobs.grant(
                grant, of: job, MessageJobs.Owner(delivery: delivery, content: content, app: app))
        }
        return job
    }

    /// Reads retries for a grant. All messages of a grant have the same content and delivery: the first due
    /// message determines this content, and other due messages with this content join the grant.
    private mutating func readRetries(_ order: ReadOrder, app: AppID, limit: Int) throws {
        let now = Clocks.wall()
        var limited: DeliveryID?
        let found = try firstFree(of: app, dueBy: now) { delivery in
            guard order.allowances[delivery] == 0 else { return false }
            limited = delivery
            return true
        }
        guard let (first, before) = found else {
            return loop.send(.filled(order, job: nil, frame: [], messages: 0, limited: limited))
        }
        let (delivery, content) = (first.delivery, first.content)
        let job = try job(of: order.grant, delivery: delivery, content: content, app: app, at: nil)
        if mustWait(order, delivery, content, app) { return }
        let limit = min(limit, order.allowances[delivery] ?? limit)
        var integers = integers(of: delivery, content, app: app)
        let extent = directory.extent(delivery: delivery, content: content, app: app)
        var builder = GrantFrameBuilder(grant: order.grant, job: job, expectedMessages: limit)
        var taken: [MessageID] = []
        var last = before
        // If each message has its own content, few messages join a grant, and a search for all of them would
        // examine all due messages for each grant.
        let page = content == .ofDelivery ? Self.retriesPerPage : Self.retriesAroundOne
        while taken.count < limit {
            let (held, cipher) = (held, cipher)
            let count = try messages.retries(
                app: app, dueBy: now, after: last, limit: page, reading: extent,
                unless: { order.allowances[$0] == 0 }
            ) {
                facts, token, _, parameters in
                last = facts.place
                guard facts.delivery == delivery, facts.content == content, taken.count < limit,
                    !held.contains(facts.message)
                else { return }
                taken.append(facts.message)
                builder.append(
                    facts.message, id: cipher.opaqueID(of: facts.message, in: facts.delivery),
                    integerID: integers?.id(of: facts.ordinal) ?? facts.ordinal,
                    attempts: facts.attempts, token: token, parameters: parameters)
            }
            if count < page || content != .ofDelivery { break }
        }
        if content != .ofDelivery { retryPlaces[app] = first.place }
        if !taken.isEmpty {
            heldRetries[order.grant] = (app, delivery, taken)
            held.formUnion(taken)
        }
        loop.send(
            .filled(
                order, job: job, frame: taken.isEmpty ? [] : builder.finish(), messages: taken.count))
    }

    /// Returns the first due message that no child has, and the place before it.
    /// - Parameter isPassedOver: Reports whether messages of a delivery must currently not be sent.
    private mutating func firstFree(
        of app: AppID, dueBy now: WallTime, unless isPassedOver: (DeliveryID) -> Bool
    ) throws -> (first: RetryFacts, before: RetryPlace?)? {
        var last = retryPlaces[app]
        var hasRestarted = last == nil
        while true {
            var first: RetryFacts?
            let held = held
            let page = hasRestarted ? Self.retriesPerPage : Self.retriesAroundOne
            let count = try messages.retries(
                app: app, dueBy: now, after: last, limit: page, reading: .token, unless: isPassedOver
            ) {
                facts, _, _, _ in
                if first == nil, !held.contains(facts.message) { first = facts }
                if first == nil { last = facts.place }
            }
            if let first { return (first, last) }
            guard count < page else { continue }
            guard !hasRestarted else { return nil }
            (last, hasRestarted) = (nil, true)
        }
    }

    /// Returns the integer ids of the job's messages; `nil` if the messages have no integer ids, or if their
    /// numbers are used unchanged.
    private func integers(
        of delivery: DeliveryID, _ content: MessageContentID, app: AppID
    ) -> IntegerIDRun? {
        guard directory.messageIDFormat(delivery: delivery, content: content, app: app) == .integer else {
            return nil
        }
        return cipher.integerRun(of: delivery)
    }

    private mutating func release(_ grant: GrantID) {
        if let released = heldRetries.removeValue(forKey: grant) { held.subtract(released.messages) }
        for (job, owner) in messageJobs.release(grant) {
            directory.forget(job, of: owner.content, in: owner.delivery, to: owner.app)
            loop.send(.jobUnused(job))
        }
    }
}
