package import PushModel
package import PushSchedule
package import PushStore
internal import PushSystem
internal import PushWire

/// The master's reading thread: finds parts and due retries, and turns read orders into frames for the link,
/// one copy a message.
package struct StoreReader {
    package enum Job: Sendable {
        /// Find parts that are not dealt with, by number.
        case findParts(after: PartID?)
        /// Find the app's parts up to this one again: they were left out.
        case findPartsAgain(PartLedger.PartsLeftOut, upTo: PartID)
        /// Find out through which accounts these parts go; they follow all that were found.
        case address([PreparedPart])
        case findRetries
        /// Where several hosts share the store: what is to be shared, and how.
        case share(SharingOrder)
        case read(ReadOrder)
        /// A grant is over: its retries may be found again.
        case released(GrantID)
        /// The messages of this grant were lost with their child and are not to be sent again.
        case giveUp(GrantID)
        /// They have ended, and are due no more.
        case forget([MessageID])
        /// Answer ``LoopEvent/found(_:isHeld:)``: whether a child has this message, which was tried before.
        case find(MessageID)
        /// A part's first pass is over, or it is to be forgotten until it is found again.
        case closed(PartID)
        case finished(DeliveryID)
        /// Answer ``LoopEvent/turned(_:)``.
        case ping
        /// Go by these settings from now on.
        case reconfigure(Reconfiguration)
        case stop
    }

    /// Parts that one search brings at most.
    package static let partsPerSearch = 200
    private static let retriesPerPage = 1_000
    /// Of single messages, which have contents of their own.
    private static let retriesAroundOne = 50

    private let mailbox: Mailbox<Job>
    let loop: Mailbox<LoopEvent>
    private let work: WorkReader
    private let messages: MessageReader
    private let cipher: MessageIDCipher
    var directory: AccountDirectory
    var parts = KnownParts()
    private var messageJobs = MessageJobs()
    /// Due messages that a child holds, by grant: the store still has them as due.
    private var heldRetries: [GrantID: (app: AppID, delivery: DeliveryID, messages: [MessageID])] = [:]
    private var held: Set<MessageID> = []
    /// Of single messages of an app: where the last grant's began. What comes before was looked at a moment ago.
    private var retryPlaces: [AppID: RetryPlace] = [:]
    private var feedback: FeedbackCalendar
    /// Of the last grant: the next is mostly of the same delivery.
    private var entryBytes = GrantFrameBuilder.usualEntryBytes
    /// Where several hosts share the store.
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

    /// Runs until told to stop.
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
                // Held until they have ended: the store still calls them due.
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
                loop.send(.readTrouble("\(error)"))
            }
            // The loop waits for an answer to each of these.
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
                .unreadable(delivery, why: "the row of its part \(part) does not say which messages it has"))
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
                // A part's own trouble is its own: the others are not to wait for it.
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
            // Of as many as are held and one more, one is free; past a page, some surely are.
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
            // A search that was on its way when the part was closed has found it again, and closing it came after.
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

    /// Whether the rate of the delivery was not known when this was ordered. Then it is told to the loop, with
    /// the job, and the messages wait for another order.
    private func mustWait(
        _ order: ReadOrder, _ delivery: DeliveryID, _ content: MessageContentID, _ app: AppID
    ) -> Bool {
        guard order.allowances[delivery] == nil,
            directory.hasRate(delivery: delivery, content: content, app: app)
        else { return false }
        loop.send(.withoutAllowance(order.grant))
        return true
    }

    /// The grant's job.
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

    /// A grant is of one content of one delivery: the first due message says which, the others of that join it.
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
        // Where each says something else, few join: whoever looks for them all looks at everything for each.
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

    /// The first due message that no child holds, and the place before it.
    /// - Parameter isPassedOver: deliveries of which nothing may go now.
    private mutating func firstFree(
        of app: AppID, dueBy now: WallTime, unless isPassedOver: (DeliveryID) -> Bool
    ) throws -> (first: RetryFacts, before: RetryPlace?)? {
        var last = retryPlaces[app]
        var hasBegunAnew = last == nil
        while true {
            var first: RetryFacts?
            let held = held
            let page = hasBegunAnew ? Self.retriesPerPage : Self.retriesAroundOne
            let count = try messages.retries(
                app: app, dueBy: now, after: last, limit: page, reading: .token, unless: isPassedOver
            ) {
                facts, _, _, _ in
                if first == nil, !held.contains(facts.message) { first = facts }
                if first == nil { last = facts.place }
            }
            if let first { return (first, last) }
            guard count < page else { continue }
            guard !hasBegunAnew else { return nil }
            (last, hasBegunAnew) = (nil, true)
        }
    }

    /// nil where the job's messages have none, or their numbers as they are.
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
