internal import PushModel
internal import PushQueue

/// For each device, the number of a service's messages that were sent to it within the period of the
/// service's cap, or that wait to be sent to it: one byte for each subscription. Single messages and messages
/// that were removed from the store are not counted.
///
/// Counting takes place in steps, delivery by delivery. Parts that are prepared during and after counting are
/// added by ``note(_:_:)``. The delivery that is being prepared needs no special treatment: its preparation
/// looks up each device only once, before the device has a message from that delivery.
struct FrequencyCapCount: Sendable {
    let service: ServiceID
    let cap: FrequencyCap
    /// The start of the period. Messages sent before it do not count.
    private let since: WallTime
    private let deliveries: [DeliveryID]
    /// The deliveries, counted at first or added later, that may still be stopped. The count includes their
    /// waiting messages.
    private var live: Set<DeliveryID>
    /// The index of the delivery that is being counted, and the last of its parts that was counted.
    private var next = 0
    private var lastPart: Int64 = 0
    /// The counts, indexed by sequence number (``SubscriptionRange``).
    private var counts: [AppID: [UInt8]] = [:]
    /// The newest part that was counted.
    private var newest: Part?
    /// Whether the count is known to differ from the store.
    private var isBroken = false
    /// The time at which counting was completed; `nil` if it is not yet complete.
    private(set) var counted: WallTime?
    /// The duration of counting so far, without the time between steps.
    var took: Duration = .zero
    /// The time of the last step.
    var lastStep = ContinuousClock.now

    /// The maximum cost of one step. A delivery costs one; a part costs one, and one more for every 200
    /// messages.
    private static let costPerStep = 2_000
    private static let messagesPerCost = 200
    /// The number of parts that are read at once.
    private static let partsPerPage = 100
    /// A maximum number of subscriptions that no app reaches, so that the content of a damaged row cannot
    /// fill the memory.
    private static let maxSubscriptions: Int64 = 1 << 28

    init(_ service: ServiceID, _ cap: FrequencyCap, at now: WallTime, _ db: any Session) throws {
        self.service = service
        self.cap = cap
        since = now.advanced(bySeconds: -cap.seconds)
        deliveries = try db.values(
            Int64.self, sql: Self.selection,
            arguments: [service.rawValue, WallMoment(since).millisecondsSince1970]
        ).map(DeliveryID.init(rawValue:))
        live = try Self.live(of: service, db)
    }

    /// Returns how long a count is valid, in seconds, both for a delivery whose preparation begins and for
    /// one whose preparation continues. Counting must not take more than a twentieth of the time, however
    /// many deliveries there are.
    /// - Parameter took: The duration of counting.
    static func longestUse(took: Duration) -> (beginning: Int64, goingOn: Int64) {
        let seconds = took.components.seconds.clampedProduct(20)
            .clampedSum(took.components.attoseconds / 50_000_000_000_000_000)
        return (max(60, seconds), max(600, seconds))
    }

    /// Reports whether the count is still correct for a delivery of the service with this cap.
    /// - Parameter isBeginning: Whether no messages of that delivery have been prepared yet.
    mutating func serves(
        _ cap: FrequencyCap, isBeginning: Bool, at now: WallTime, _ db: any Session
    ) throws -> Bool {
        guard !isBroken, cap == self.cap, try hasNewest(db) else { return false }
        guard let counted else { return true }
        let age = now.secondsSince1970 - counted.secondsSince1970
        let longest = Self.longestUse(took: took)
        guard isBeginning else { return (0...longest.goingOn).contains(age) }
        return try (0...longest.beginning).contains(age) && !wasStopped(db)
    }

    /// Reports whether a delivery with waiting messages was stopped: those messages were counted, but will
    /// not be sent. The cost is proportional to the number of deliveries that have not ended, plus one
    /// look-up for each delivery that has ended since the previous check.
    private mutating func wasStopped(_ db: any Session) throws -> Bool {
        for delivery in live.subtracting(try Self.live(of: service, db)) {
            if try DeliveryRow.state(of: delivery, db) == .stopped { return true }
            live.remove(delivery)
        }
        return false
    }

    /// Reports whether the newest counted part exists. It does not if the transaction in which it was counted
    /// was rolled back.
    private func hasNewest(_ db: any Session) throws -> Bool {
        guard let newest else { return true }
        let row = try db.row(
            sql: "SELECT delivery_id, first_number, count FROM part WHERE id = ?1",
            arguments: [newest.id.rawValue])
        guard let row else { return false }
        return try row["delivery_id"] == newest.delivery.rawValue
            && row["first_number"] == newest.firstOrdinal && row["count"] == Int64(newest.count)
    }

    // MARK: - Counting

    /// Performs one more step of counting.
    mutating func proceed(at now: WallTime, _ db: any Session) throws {
        guard counted == nil else { return }
        var left = Self.costPerStep
        while left > 0, next < deliveries.count {
            var parts = try Self.parts(of: deliveries[next], after: lastPart, db)[...]
            let isLastPage = parts.count < Self.partsPerPage
            while left > 0, let part = parts.popFirst() {
                try count(part.id, db)
                lastPart = part.id.rawValue
                left -= 1 + part.count / Self.messagesPerCost
            }
            left -= 1
            if isLastPage, parts.isEmpty { (next, lastPart) = (next + 1, 0) }
        }
        if next >= deliveries.count { counted = now }
    }

    /// Records a prepared part of the service, whose messages for these subscriptions wait to be sent.
    mutating func note(_ part: Part, _ subscriptions: ContiguousArray<SubscriptionID>) {
        // Counting will reach the part.
        if deliveries[next...].contains(part.delivery) { return }
        if let newest, part.id <= newest.id { isBroken = true }
        newest = part
        live.insert(part.delivery)
        add(subscriptions, of: part.app)
    }

    private mutating func count(_ id: PartID, _ db: any Session) throws {
        let table = PartTable(db: db)
        do {
            guard let stored = try table.part(id) else { return }
            let since = since
            var indices: ContiguousArray<Int> = []
            stored.progress.states.forEachRun(in: 0..<stored.count) { run, status in
                switch status.state {
                case .pending, .retrying: indices += run
                case .sent where status.since >= since: indices += run
                case .sent, .failed, .cancelled, .excluded: break
                }
            }
            if newest.map({ $0.id < id }) ?? true { newest = stored.part }
            guard !indices.isEmpty else { return }
            add(try table.members(of: stored.part).subscriptions(at: indices), of: stored.part.app)
        } catch is DamagedPart {
            // The damage puts the part's own delivery on hold, not the delivery that is being prepared.
        }
    }

    private mutating func add(_ subscriptions: ContiguousArray<SubscriptionID>, of app: AppID) {
        var counts = self.counts.removeValue(forKey: app) ?? []
        for subscription in subscriptions {
            guard let place = Self.place(of: subscription.rawValue, in: app) else { continue }
            if place >= counts.count {
                counts.append(contentsOf: repeatElement(0, count: place + 1 - counts.count))
            }
            if counts[place] < .max { counts[place] += 1 }
        }
        self.counts[app] = counts
    }

    private static func place(of subscription: Int64, in app: AppID) -> Int? {
        let sequence = subscription - SubscriptionRange(app).beforeFirst
        return (1...maxSubscriptions).contains(sequence) ? Int(sequence) : nil
    }

    // MARK: - Asking

    /// Marks the members whose count has reached the cap.
    func mark(_ members: inout [TargetSelection.Member], of app: AppID) {
        guard let counts = counts[app] else { return }
        for index in members.indices {
            guard let place = Self.place(of: members[index].subscription, in: app), place < counts.count
            else { continue }
            members[index].isCapped = Int(counts[place]) >= cap.messages
        }
    }

    // MARK: - Statements

    private static func parts(
        of delivery: DeliveryID, after last: Int64, _ db: any Session
    ) throws -> [(id: PartID, count: Int)] {
        let statement = try db.statement(HotSQL.partsForHits(db.dialect))
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(last, at: 2)
        statement.bind(Int64(partsPerPage), at: 3)
        var parts: [(PartID, Int)] = []
        while try statement.next() {
            // A damaged row may contain any value.
            let count = min(max(0, statement.integer(3)), Int64(PartLimits.messages))
            parts.append((PartID(rawValue: statement.integer(0)), Int(count)))
        }
        return parts
    }

    private static let selection = """
        SELECT id FROM delivery WHERE service_id = ?1 AND open_until IS NULL AND removed_ms IS NULL
            AND (finished_ms IS NULL OR finished_ms >= ?2)
        ORDER BY id
        """

    /// Returns a service's deliveries that have not ended.
    private static func live(of service: ServiceID, _ db: any Session) throws -> Set<DeliveryID> {
        let found = try db.values(
            Int64.self, sql: "SELECT id FROM delivery WHERE \(DeliveryRow.isLive) AND service_id = ?1",
            arguments: [service.rawValue])
        return Set(found.map(DeliveryID.init(rawValue:)))
    }
}
