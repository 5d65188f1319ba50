import PushModel
import PushSchedule
import TestSupport
import Testing

/// Simulates a day in the life of a master: children join, die and drain; accounts fail and recover; reads
/// fail; and answers arrive in any order. Deliveries are paused, resumed and stopped, and two of them have a
/// rate. The simulated participants follow the ledger's orders and refuse invalid orders.
@Suite struct `The ledger in random simulations` {
    @Test(arguments: 0..<40)
    func `no message is granted twice at one time, no message is lost, and no capacity is exceeded`(
        seed: UInt64
    ) {
        var story = Story(seed: seed)
        for _ in 0..<1_500 { story.turn() }
        story.finish()
        #expect(story.complaints == [])
        #expect(story.sent.count == story.messages)
        #expect(story.partsDone.count == story.parts)
        #expect(story.ledger.unrecorded == 0)
    }
}

private struct Story {
    var ledger: PartLedger
    var random: SeededRandom
    var now = MonotonicTime(nanoseconds: 0)
    var complaints: [String] = []

    /// The store: the messages that are final.
    var sent: Set<Int64> = []
    var messages = 0
    var parts = 0
    var stored: [Part] = []
    /// The app for which omitted parts were last searched.
    var lastApp: AppID?
    /// Includes parts that are completed more than once, because paused parts are found again.
    var partsDone: Set<PartID> = []
    var paused: Set<DeliveryID> = []
    var hasResumed = false
    /// No message in these deliveries may be granted any more. Their waiting messages are final in the store.
    var stopped: Set<DeliveryID> = []
    /// The rate in messages per second, by delivery, and the number of messages that began.
    let rates = [DeliveryID(rawValue: 2): 3, DeliveryID(rawValue: 5): 40]
    var begun: [DeliveryID: Int] = [:]
    /// The grant that contains each message.
    var holder: [Int64: GrantID] = [:]
    var capacities: [ChildID: Int] = [:]
    var unread: [ReadOrder] = []
    var held: [GrantID: (order: ReadOrder, messages: [Int64])] = [:]
    var lastChild: UInt32 = 0
    let hasPriorities: Bool
    var moved: [AppID: AccountID] = [:]
    let accounts = [AccountID(rawValue: 1), AccountID(rawValue: 2), AccountID(rawValue: 3)]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        hasPriorities = seed % 4 < 2
        // In half of the runs, there are more parts than may wait for their accounts.
        ledger = PartLedger(maxWaitingRanges: seed % 2 == 0 ? 1_000 : 3, jitter: { $0 })
    }

    mutating func turn() {
        now = now.advanced(byMilliseconds: Int64(random.below(400)))
        switch random.below(13) {
        case 0 where parts < 60: findPart()
        case 1 where capacities.count < 3: spawn()
        case 2 where random.below(4) == 0: lose()
        case 3:
            act(
                .failure(
                    accounts[random.below(3)], random.below(2) == 0 ? .refused : .unreachable, reason: "r"))
        case 4:
            act(.proved(accounts[random.below(3)]))
            if random.below(10) == 0 { move(AppID(rawValue: 1), to: accounts[random.below(3)]) }
        case 5:
            act(.tick)
            searchLeftOut()
        case 6, 7, 8: fill()
        case 9 where random.below(4) == 0: pauseOrResume()
        case 10 where random.below(150) == 0: stop()
        default: answer(all: false)
        }
    }

    /// Restores all accounts and children. The run ends when everything is done.
    mutating func finish() {
        spawn()
        for delivery in paused.sorted() { resume(delivery) }
        // Messages that are final may have been granted again, and may still be read.
        for _ in 0..<20_000
        where sent.count < messages || partsDone.count < parts || ledger.unrecorded > 0 {
            now = now.advanced(bySeconds: 60)
            for account in accounts { act(.proved(account)) }
            act(.tick)
            searchLeftOut()
            fill()
            answer(all: true)
        }
    }

    private mutating func act(_ event: PartLedger.Event) {
        for action in ledger.handle(event, at: now) {
            switch action {
            case .leftOut(let part):
                if ledger.knows(part) { complaints.append("a part that is known was left out") }
            case .read(let order):
                if capacities[order.child] == nil {
                    complaints.append("a grant for a child that is not there")
                }
                unread.append(order)
            case .partDone(let part): partsDone.insert(part)
            case .released(let grant):
                for message in held.removeValue(forKey: grant)?.messages ?? [] {
                    holder[message] = nil
                    // The message's child was lost.
                    if let delivery = delivery(of: message), stopped.contains(delivery) {
                        sent.insert(message)
                    }
                }
            case .abandon: complaints.append("messages were given up")
            case .excess: complaints.append("more outcomes were reported than messages granted")
            case .rests: break
            }
        }
        for (child, capacity) in capacities where ledger.outstanding(of: child) > capacity {
            complaints.append("\(child) holds \(ledger.outstanding(of: child)), over \(capacity)")
        }
    }

    /// The reader of parts first reports the account that the parts' app uses now.
    private mutating func move(_ app: AppID, to account: AccountID) {
        moved[app] = account
        act(.moved(app, to: account))
    }

    private func account(of app: AppID) -> AccountID { moved[app] ?? accounts[Int(app.rawValue) - 1] }

    private func delivery(of message: Int64) -> DeliveryID? {
        stored.first { $0.messages.contains(MessageID(rawValue: message)) }?.delivery
    }

    private mutating func findPart() {
        parts += 1
        let count = random.below(300) + 1
        let first = Int64(messages + 1)
        messages += count
        let part = Part(
            id: PartID(rawValue: Int64(parts)), delivery: DeliveryID(rawValue: Int64(parts % 7) + 1),
            app: AppID(rawValue: Int64(parts % 3) + 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: Int64(messages)), firstOrdinal: first)
        stored.append(part)
        // Messages that were submitted after the stop are not of interest here.
        if stopped.contains(part.delivery) { end(part) }
        if let rate = rates[part.delivery] { act(.limited(part.delivery, perSecond: rate)) }
        act(.found(part, account(of: part.app), priority: priority(of: part)))
    }

    /// Stops a delivery: its messages are no longer found, and messages that no child has are final
    /// immediately. Unlike a pause, a stop is permanent.
    private mutating func stop() {
        let delivery = DeliveryID(rawValue: Int64(random.below(7)) + 1)
        guard !paused.contains(delivery), stopped.insert(delivery).inserted else { return }
        act(.deliveryPaused(delivery))
        for part in stored where part.delivery == delivery { end(part) }
    }

    private mutating func end(_ part: Part) {
        for message in part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue
        where holder[message] == nil { sent.insert(message) }
        partsDone.insert(part.id)
    }

    /// In half of the runs, there are deliveries with all priorities.
    private func priority(of part: Part) -> DeliveryPriority {
        hasPriorities ? DeliveryPriority.allCases[Int(part.delivery.rawValue) % 5] : .normal
    }

    /// Searches an app's parts, beginning with the first part that was left out, two parts per page.
    private mutating func searchLeftOut() {
        guard let search = ledger.partsLeftOut(upTo: PartID(rawValue: Int64(parts)), after: lastApp) else {
            return
        }
        lastApp = search.app
        let found = stored.filter {
            $0.app == search.app && $0.id >= search.first && !paused.contains($0.delivery)
                && !stopped.contains($0.delivery)
        }.prefix(2)
        let next = found.count == 2 ? found.last.map { PartID(rawValue: $0.id.rawValue + 1) } : nil
        // After a new search for all parts, some parts are already known, and the ledger skips them.
        for part in found
        where !hasResumed && ledger.knows(part.id) && priority(of: part).isUrgent == search.isUrgent {
            complaints.append("\(part.id) was found twice")
        }
        let parts = found.map {
            FoundPart(part: $0, account: account(of: search.app), priority: priority(of: $0))
        }
        act(.foundAgain(search, parts, next: next))
    }

    private mutating func pauseOrResume() {
        let delivery = DeliveryID(rawValue: Int64(random.below(7)) + 1)
        guard !stopped.contains(delivery) else { return }
        guard !paused.contains(delivery) else { return resume(delivery) }
        paused.insert(delivery)
        act(.deliveryPaused(delivery))
    }

    /// Begins the search again. The search finds all parts that are not completely sent.
    private mutating func resume(_ delivery: DeliveryID) {
        hasResumed = true
        paused.remove(delivery)
        act(.deliveryResumed(delivery))
        for part in stored where !paused.contains(part.delivery) && !stopped.contains(part.delivery) {
            let numbers = part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue
            guard !numbers.allSatisfy(sent.contains) else { continue }
            act(.found(part, account(of: part.app), priority: priority(of: part)))
        }
    }

    private mutating func spawn() {
        lastChild += 1
        let child = ChildID(rawValue: lastChild)
        let capacity = random.below(200) + 1
        capacities[child] = capacity
        act(.joined(child, capacity: capacity))
    }

    private mutating func lose() {
        guard let child = capacities.keys.sorted().first else { return }
        capacities[child] = nil
        act(.draining(child))
        act(.lost(child))
    }

    /// The reader: returns the messages in a range that are still unsent, or fails.
    private mutating func fill() {
        guard !unread.isEmpty else { return }
        let order = unread.removeFirst()
        guard ledger.holds(order.grant) else { return }
        if random.below(10) == 0 { return act(.unread(order.grant)) }
        guard case .range(let part, let range) = order.source,
            let delivery = stored.first(where: { $0.id == part })?.delivery
        else { return }
        // The delivery was paused during the read.
        if paused.contains(delivery) || stopped.contains(delivery) { return act(.unread(order.grant)) }
        var found: [Int64] = []
        for id in range.lowerBound.rawValue...range.upperBound.rawValue where !sent.contains(id) {
            if paused.contains(delivery) { complaints.append("message \(id) is sent though it is paused") }
            if holder[id] != nil { complaints.append("message \(id) is held twice") }
            holder[id] = order.grant
            found.append(id)
        }
        held[order.grant] = (order, found)
        begin(found.count, of: delivery, order)
        act(.filled(order.grant, messages: found.count, of: delivery))
    }

    private mutating func begin(_ count: Int, of delivery: DeliveryID, _ order: ReadOrder) {
        guard let rate = rates[delivery] else {
            if !order.allowances.isEmpty { complaints.append("an allowance for one without a rate") }
            return
        }
        if count > order.allowances[delivery] ?? 0 { complaints.append("\(count) are over the allowance") }
        begun[delivery, default: 0] += count
        let most = rate * Int(now.nanoseconds / 1_000_000) / 1_000 + 1
        if begun[delivery] ?? 0 > most { complaints.append("\(delivery) began more than its rate") }
    }

    /// The gateway: answers some messages in a grant and returns a few of its messages unsent.
    private mutating func answer(all: Bool) {
        guard let grant = held.keys.sorted().first(where: { _ in all || random.below(3) == 0 }),
            var entry = held[grant], !entry.messages.isEmpty
        else { return }
        let count = all ? entry.messages.count : random.below(entry.messages.count) + 1
        var requeued = 0
        for message in entry.messages.prefix(count) {
            holder[message] = nil
            let delivery = delivery(of: message)
            if !all, random.below(20) == 0 {
                requeued += 1
                // The message did not begin.
                if let delivery, rates[delivery] != nil { begun[delivery, default: 0] -= 1 }
                if let delivery, stopped.contains(delivery) { sent.insert(message) }
            } else {
                sent.insert(message)
            }
        }
        entry.messages.removeFirst(count)
        held[grant] = entry
        act(.settled(grant, outcomes: count, requeued: requeued))
    }
}
