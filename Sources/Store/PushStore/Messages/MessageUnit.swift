internal import PushModel
internal import PushQueue

/// A single transaction of ``MessageWriter``.
struct MessageUnit {
    /// The maximum number of devices for one message.
    static let maxDevices = 1_000
    /// The total number of devices after which no further message is examined.
    private static let maxDevicesAtOnce = 1_000

    /// Messages that have the same content and become one part.
    private struct Group {
        let key: MessageMemory.ContentKey
        let addressee: NewMessage.Addressee
        let priority: DeliveryPriority
        let isNowOrNever: Bool
        /// Whether the messages have values.
        let hasValues: Bool
        /// The time until which the messages are held back.
        let due: WallTime?
        let content: MessageContent
        var members: [(message: Int, device: MessageRecipients.Device)] = []
    }

    private struct GroupKey: Hashable {
        let content: MessageMemory.ContentKey
        let due: WallTime?
    }

    private let messages: [NewMessage]
    private let memory: MessageMemory
    private let now: WallMoment
    private let db: any Session
    private let open: OpenDeliveries
    private let path: String

    private var batch: MessageBatch
    /// The devices of each message that is to be accepted.
    private var devices: [[MessageRecipients.Device]]
    private var deliveryOf: [OpenDeliveries.Key: (delivery: DeliveryID, nextOrdinal: Int64)] = [:]
    private var groups: [Group] = []
    private var groupOf: [GroupKey: Int] = [:]
    private var events: [DeliveryID: EndedEvents] = [:]
    /// Each message that has the same key as an earlier message of the same transaction, with that earlier
    /// message.
    private var repeats: [(message: Int, first: Int)] = []

    init(_ messages: [NewMessage], memory: MessageMemory, at now: WallMoment, _ db: any Session, path: String)
    {
        self.messages = messages
        self.memory = memory
        self.now = now
        self.db = db
        self.path = path
        open = OpenDeliveries(db: db, now: now, path: path)
        batch = MessageBatch(results: Array(repeating: nil, count: messages.count))
        devices = Array(repeating: [], count: messages.count)
    }

    mutating func run() throws -> MessageBatch {
        try answerRepeats()
        refuseTimes()
        let taken = try findRecipients()
        try refuseChanged()
        try fill(taken)
        try gather(taken)
        try write()
        try noteKeys(taken)
        return batch
    }

    // MARK: What is accepted

    private mutating func answerRepeats() throws {
        let keyed = messages.indices.filter { messages[$0].idempotency != nil }
        let answers = try MessageIdempotency(db: db, now: now.time).answers(
            to: keyed.compactMap { messages[$0].idempotency })
        var firstOf: [MessageIdempotency.Name: Int] = [:]
        for (index, answer) in zip(keyed, answers) {
            guard answer == nil, let key = messages[index].idempotency else {
                batch.results[index] = answer
                continue
            }
            guard let first = firstOf[MessageIdempotency.Name(key)] else {
                firstOf[MessageIdempotency.Name(key)] = index
                continue
            }
            if messages[first].idempotency?.body == key.body {
                repeats.append((index, first))
            } else {
                batch.results[index] = .failure(.keyReused)
            }
        }
    }

    /// Refuses messages that cannot be sent at their time, unless they repeat another message.
    private mutating func refuseTimes() {
        for index in messages.indices where batch.results[index] == nil {
            if let refusal = messages[index].refusedTime(at: now.time) {
                batch.results[index] = .failure(refusal)
            }
        }
    }

    /// - Returns: The messages to accept, among those that this transaction examines.
    private mutating func findRecipients() throws -> [Int] {
        let repeated = Set(repeats.map(\.message))
        let wanted = messages.indices.filter { batch.results[$0] == nil && !repeated.contains($0) }
        let found = try MessageRecipients(db: db).devices(of: wanted.map { messages[$0] })
        var taken: [Int] = []
        var count = 0
        for (index, devices) in zip(wanted, found) {
            guard count < Self.maxDevicesAtOnce else { break }
            self.devices[index] = devices
            count += devices.count
            if devices.isEmpty {
                batch.results[index] = .failure(.nobody)
            } else {
                taken.append(index)
            }
        }
        return taken
    }

    /// Refuses messages whose apps have changed since the messages' content was checked for these apps. A
    /// message without a recipient is refused in the same way if one of its apps has changed, because the app
    /// may have been deleted and created again.
    private mutating func refuseChanged() throws {
        var current: [AppID: Int64?] = [:]
        for (index, found) in devices.enumerated() {
            let hasNoRecipient = batch.results[index] == .failure(.nobody)
            for addressee in hasNoRecipient ? Set(messages[index].apps) : Set(found.map(\.addressee)) {
                if current[addressee.app] == nil {
                    current[addressee.app] = try db.value(
                        Int64.self, sql: HotSQL.currentRevision, arguments: [addressee.app.rawValue])
                }
                if current[addressee.app] != addressee.revision.rawValue {
                    batch.results[index] = .failure(.appChanged)
                }
            }
        }
    }

    /// Determines the values that fill the messages. A message is refused if a device to which it would be
    /// sent lacks a value.
    private mutating func fill(_ taken: [Int]) throws {
        for index in taken where batch.results[index] == nil {
            guard let filling = messages[index].filling else { continue }
            var (missing, lacking, meant) = ([String](), 0, 0)
            for place in devices[index].indices where devices[index][place].exclusion == nil {
                meant += 1
                let device = devices[index][place]
                guard let need = filling.needs[device.addressee.app] else { continue }
                let facts = try FactSQL.texts(need.facts, of: device.subscription, db)
                let values = filling.values(for: need, device.parameters, facts)
                let lacks = need.missing(values)
                missing += lacks.filter { !missing.contains($0) }
                if !lacks.isEmpty { lacking += 1 }
                devices[index][place].values = values
            }
            guard !missing.isEmpty else { continue }
            batch.results[index] = .failure(.missing(names: missing, devices: lacking, of: meant))
        }
    }

    // MARK: What it becomes

    private mutating func gather(_ taken: [Int]) throws {
        var joining: [OpenDeliveries.Key: (count: Int, end: Int64, first: Int)] = [:]
        let accepted = taken.filter { batch.results[$0] == nil }
        for index in accepted {
            let message = messages[index]
            let end = message.end(at: now.time)
            let key = OpenDeliveries.key(of: message, at: now)
            var those = joining[key] ?? (count: 0, end: end, first: index)
            those.count += devices[index].count
            those.end = max(those.end, end)
            joining[key] = those
        }
        for (key, those) in joining.sorted(by: { $0.value.first < $1.value.first }) {
            let joined = try open.join(
                key, named: messages[those.first].service.name, known: memory.deliveries[key],
                count: those.count, end: those.end, app: devices[those.first][0].addressee.app)
            deliveryOf[key] = (joined.delivery, joined.first)
            batch.learned.deliveries[key] = joined.delivery
        }
        for index in accepted {
            for device in devices[index] { add(device, of: index) }
        }
    }

    private mutating func add(_ device: MessageRecipients.Device, of index: Int) {
        let message = messages[index]
        guard let delivery = deliveryOf[OpenDeliveries.key(of: message, at: now)]?.delivery else { return }
        let key = MessageMemory.ContentKey(
            delivery: delivery, revision: device.addressee.revision, end: message.end(at: now.time),
            digest: message.content.digest(
                isNowOrNever: message.isNowOrNever, hasValues: message.filling != nil))
        let groupKey = GroupKey(content: key, due: message.due(at: now.time))
        let place: Int
        if let known = groupOf[groupKey], groups[known].members.count < PartLimits.messages {
            place = known
        } else {
            place = groups.count
            groupOf[groupKey] = place
            groups.append(
                Group(
                    key: key, addressee: device.addressee, priority: message.priority,
                    isNowOrNever: message.isNowOrNever, hasValues: message.filling != nil,
                    due: groupKey.due, content: message.content))
        }
        groups[place].members.append((index, device))
    }

    private mutating func write() throws {
        let count = groups.reduce(0) { $0 + $1.members.count }
        guard count > 0 else { return }
        try findContents()
        let numbers = try NumberTable(db: db).take(count)
        batch.repairedNumbers = numbers.repaired
        var ordinals: [DeliveryID: Int64] = [:]
        for joined in deliveryOf.values { ordinals[joined.delivery] = joined.nextOrdinal }
        var number = numbers.first
        var tallies: [DeliveryID: TallyByApp] = [:]
        for group in groups {
            let delivery = group.key.delivery
            try bind(group)
            let content = try content(of: group, number: number)
            let part = Part(
                id: PartID(rawValue: number), delivery: delivery, app: group.addressee.app,
                firstOrdinal: ordinals[delivery] ?? 0, count: group.members.count, content: content)
            guard let part else { throw UnreadableValue() }
            let states = try PartStates(
                MessageRecipients.stretches(group.members.map(\.device), at: now.time))
            let progress = PartProgress(
                states: states, deadline: WallTime(secondsSince1970: group.key.end), due: group.due)
            try PartTable(db: db).insert(
                part, members: try PartMembers(ContiguousArray(group.members.map(\.device.subscription))),
                progress: progress)
            if group.hasValues { try PartVariables(db: db).insert(group.members.map(\.device), of: part.id) }
            try note(states, of: part)
            tallies[delivery, default: TallyByApp()].add(states.tally(), of: part.app)
            if progress.hasPending { batch.parts.append(AcceptedPart(part: part, priority: group.priority)) }
            answer(group, part)
            ordinals[delivery, default: 0] += Int64(part.count)
            number += Int64(part.count)
        }
        for (delivery, tally) in tallies { try TallyTable(db: db).add(tally, of: delivery) }
        for (delivery, events) in events.sorted(by: { $0.key < $1.key }) {
            try events.write(of: delivery, at: now, db)
        }
    }

    /// Reports the devices to which nothing is sent.
    private mutating func note(_ states: PartStates, of part: Part) throws {
        guard states.counts().excluded > 0 else { return }
        let known = try events[part.delivery] ?? EndedEvents(WantedEvents(db))
        try known.note(excludedIn: states, of: part)
        events[part.delivery] = known
    }

    private mutating func bind(_ group: Group) throws {
        let binding = MessageMemory.Binding(delivery: group.key.delivery, addressee: group.addressee)
        guard !memory.bindings.contains(binding), batch.learned.bindings.insert(binding).inserted else {
            return
        }
        try open.bind(group.addressee, to: group.key.delivery)
    }

    /// Finds contents that are in the store but not in memory.
    private mutating func findContents() throws {
        let unknown = groups.map(\.key).filter { memory.contents[$0] == nil }
        guard !unknown.isEmpty else { return }
        try Batch(db, one: HotSQL.messageContent, many: HotSQL.messageContents).rows(
            of: unknown, bind: Self.bind
        ) { key, row, column in
            batch.learned.contents[key] = MessageContentID(rawValue: row.integer(column))
        }
    }

    private static func bind(_ key: MessageMemory.ContentKey, to statement: any Parameters) {
        statement.bind(key.delivery.rawValue, at: 1)
        statement.bind(key.revision.rawValue, at: 2)
        statement.bind(key.end, at: 3)
        unsafe key.digest.withUnsafeBytes { unsafe statement.bind(blob: $0, at: 4) }
    }

    /// Returns the number of the group's content. A new content is inserted with the number of its first
    /// message.
    private mutating func content(of group: Group, number: Int64) throws -> MessageContentID {
        let key = group.key
        if let known = memory.contents[key] ?? batch.learned.contents[key] { return known }
        let inserting = try db.statement(HotSQL.insertMessageContent)
        Self.bind(key, to: inserting)
        inserting.bind(number, at: 5)
        unsafe group.content.json.withUnsafeBytes { unsafe inserting.bind(blob: $0, at: 6) }
        inserting.bind(group.isNowOrNever, at: 7)
        try inserting.run()
        let content = MessageContentID(rawValue: number)
        batch.learned.contents[key] = content
        return content
    }

    private mutating func answer(_ group: Group, _ part: Part) {
        for (place, member) in group.members.enumerated() {
            let device = AcceptedMessage.Device(
                message: part.message(at: place), exclusion: member.device.exclusion)
            var accepted = AcceptedMessage(delivery: part.delivery, devices: [])
            if case .success(let earlier) = batch.results[member.message] { accepted = earlier }
            accepted.devices.append(device)
            batch.results[member.message] = .success(accepted)
        }
    }

    private mutating func noteKeys(_ taken: [Int]) throws {
        let keys = MessageIdempotency(db: db, now: now.time)
        for index in taken {
            guard let key = messages[index].idempotency, case .success(let accepted) = batch.results[index]
            else { continue }
            try keys.note(key, accepted, for: devices[index][0].subscription)
        }
        for (index, first) in repeats {
            batch.results[index] = batch.results[first].map { result in
                result.map { accepted in
                    var accepted = accepted
                    accepted.isRepeated = true
                    return accepted
                }
            }
        }
    }
}
