internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// The master's reading thread: finds parts and due retries, and turns read orders into frames for the link, one copy
/// a message.
struct StoreReader {
    enum Job: Sendable {
        /// Find parts that are not dealt with, by number.
        case findParts(after: PartID?)
        case findRetries
        case read(ReadOrder)
        /// A grant is over: its retries may be found again.
        case released(GrantID)
        case stop
    }

    /// Parts that one search brings at most.
    static let partsPerSearch = 200

    private let mailbox: Mailbox<Job>
    private let loop: Mailbox<LoopEvent>
    private let work: WorkReader
    private let messages: MessageReader
    private let cipher: MessageIDCipher
    private var directory: AccountDirectory
    private var parts: [PartID: Part] = [:]
    /// Due messages that a child holds, by grant: the store still has them as due.
    private var heldRetries: [GrantID: [MessageID]] = [:]
    private var held: Set<MessageID> = []
    private var isInTrouble = false

    init(
        mailbox: Mailbox<Job>, loop: Mailbox<LoopEvent>, store: Store, messages: MessageReader, key: InstanceKey,
        gateways: GatewaySettings
    ) {
        self.mailbox = mailbox
        self.loop = loop
        work = store.work
        self.messages = messages
        cipher = MessageIDCipher(key: key)
        directory = AccountDirectory(store: store, key: key, gateways: gateways) { loop.send($0) }
    }

    /// Runs until told to stop.
    mutating func run() {
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
            case .findRetries: try findRetries()
            case .read(let order): try read(order)
            case .released(let grant): release(grant)
            case .stop: break
            }
            if isInTrouble { loop.send(.storeRecovered) }
            isInTrouble = false
        } catch {
            if !isInTrouble { loop.send(.storeTrouble("\(error)")) }
            isInTrouble = true
            // The ledger waits for an answer to every read order; nothing was read, so the range goes back.
            if case .read(let order) = job { loop.send(.filled(order, job: 0, frame: [], messages: -1)) }
        }
    }

    private mutating func findParts(after last: PartID?) throws {
        let open = try work.openParts(after: last, limit: Self.partsPerSearch)
        var found: [FoundPart] = []
        for part in open {
            do {
                found.append(FoundPart(part: part, account: try directory.account(of: part.app)))
                parts[part.id] = part
            } catch let error as AccountDirectory.Unaddressable {
                loop.send(.unaddressable(part.id, why: error.why))
            }
        }
        loop.send(.parts(found, hasMore: open.count == Self.partsPerSearch))
    }

    private mutating func findRetries() throws {
        let now = Clocks.wall()
        var due: [AppID: AccountID] = [:]
        for (app, account) in try directory.accountsOfApps() {
            // One more than are held: then at least one is free.
            if try messages.retryingDue(app: app, dueBy: now, limit: held.count + 1) > 0 { due[app] = account }
        }
        loop.send(.retriesDue(due))
    }

    private mutating func read(_ order: ReadOrder) throws {
        switch order.source {
        case .range(let id, let range):
            guard let part = parts[id] else {
                return loop.send(.filled(order, job: 0, frame: [], messages: 0))
            }
            let job = try directory.job(delivery: part.delivery, app: part.app)
            var builder = GrantFrameBuilder(
                grant: order.grant.rawValue, job: job,
                expectedMessages: Int(range.upperBound.rawValue - range.lowerBound.rawValue) + 1)
            let cipher = cipher
            let count = try messages.pending(in: part, range: range) { message, token, _, parameters in
                builder.append(
                    message, id: cipher.opaqueID(of: message, in: part.delivery), ordinal: part.ordinal(of: message),
                    attempts: 0, token: token, parameters: parameters)
            }
            loop.send(.filled(order, job: job, frame: count > 0 ? builder.finish() : [], messages: count))
        case .retries(let app, let limit):
            try readRetries(order, app: app, limit: limit)
        }
    }

    /// A grant is of one delivery: the first due message says which, the others of that delivery join it.
    private mutating func readRetries(_ order: ReadOrder, app: AppID, limit: Int) throws {
        let now = Clocks.wall()
        var builder: GrantFrameBuilder?
        var job: UInt32 = 0
        var delivery: DeliveryID?
        var taken: [MessageID] = []
        var last: (due: WallTime, message: MessageID)?
        let page = 1_000
        while taken.count < limit {
            if delivery == nil {
                // The first free message decides; it is read again with the others.
                var first: RetryFacts?
                let held = held
                let count = try messages.retries(app: app, dueBy: now, after: last, limit: page) { facts, _, _, _ in
                    if first == nil, !held.contains(facts.message) { first = facts }
                    if first == nil { last = (facts.due, facts.message) }
                }
                if let first {
                    delivery = first.delivery
                    job = try directory.job(delivery: first.delivery, app: app)
                    builder = GrantFrameBuilder(grant: order.grant.rawValue, job: job, expectedMessages: limit)
                } else if count < page {
                    break
                } else {
                    continue
                }
            }
            let (held, cipher) = (held, cipher)
            let count = try messages.retries(app: app, dueBy: now, after: last, limit: page) {
                facts, token, _, parameters in
                last = (facts.due, facts.message)
                guard facts.delivery == delivery, taken.count < limit, !held.contains(facts.message) else { return }
                taken.append(facts.message)
                builder?.append(
                    facts.message, id: cipher.opaqueID(of: facts.message, in: facts.delivery), ordinal: facts.ordinal,
                    attempts: facts.attempts, token: token, parameters: parameters)
            }
            if count < page { break }
        }
        if !taken.isEmpty {
            heldRetries[order.grant] = taken
            held.formUnion(taken)
        }
        loop.send(.filled(order, job: job, frame: builder?.finish() ?? [], messages: taken.count))
    }

    private mutating func release(_ grant: GrantID) {
        if let messages = heldRetries.removeValue(forKey: grant) { held.subtract(messages) }
    }
}
