internal import PushModel

/// Registrations with one app that are written together, within the caller's transaction. No two of them have
/// a token or a device in common.
struct RegistrationPage {
    private(set) var ends: [RegistrationEnd]
    /// The positions of registrations that concern a subscription that an earlier registration of this page
    /// has changed. These registrations must be looked up again.
    private(set) var postponed: [Int] = []

    private let db: any Session
    private let app: AppID
    private let registrations: [RegistrationRecord]
    private let chunk: SubscriberChunk
    /// The resulting subscription of each registration.
    private var ids: [Int64]

    init(_ db: any Session, _ registrations: [RegistrationRecord]) throws {
        guard let first = registrations.first else { throw UnreadableValue() }
        self.db = db
        self.registrations = registrations
        app = first.app
        chunk = SubscriberChunk(
            registrations.map {
                SubscriberRecord(
                    token: $0.token, userKey: $0.userKey,
                    parametersJSON: $0.replacesParameters
                        ? $0.parametersJSON : ParameterText.changed(nil, by: $0.parameterChanges))
            })
        ids = Array(repeating: 0, count: registrations.count)
        ends = Array(repeating: .noApp, count: registrations.count)
    }

    mutating func write() throws {
        let indices = Array(registrations.indices)
        let known = try SubscriberLookUp(db, app).find(chunk)
        let devices = try devices()
        let new = indices.filter { known[$0] == nil && devices[$0] == nil }
        // This also determines whether the app exists.
        guard let last = try takeSequences(new.count) else { return }
        for (place, index) in new.enumerated() {
            ids[index] = SubscriptionRange(app).id(sequence: last - Int64(new.count - 1 - place))
        }
        try insert(new)
        try registerAgain(known, devices)
        try noteDevices()
        let old = indices.filter { ends[$0] == .updated || ends[$0] == .moved }.map { ids[$0] }
        guard !old.isEmpty, try QuarantineLift.isNeeded(in: SubscriptionRange(app), db) else { return }
        try QuarantineLift(db).forget(old)
    }

    private func takeSequences(_ count: Int) throws -> Int64? {
        guard count > 0 else {
            return try db.value(
                Int64.self, sql: "SELECT last_sequence FROM app WHERE id = ?1 AND removed_at IS NULL",
                arguments: [app.rawValue])
        }
        let statement = try db.statement(HotSQL.takeSequences)
        defer { statement.reset() }
        statement.bind(app.rawValue, at: 1)
        statement.bind(Int64(count), at: 2)
        return try statement.next() ? statement.integer(0) : nil
    }

    /// Returns the current subscription of each registering device, found by the device's mark.
    private func devices() throws -> [KnownDevice?] {
        var found = [KnownDevice?](repeating: nil, count: registrations.count)
        let marked = registrations.indices.filter { registrations[$0].mark != nil }
        guard !marked.isEmpty else { return found }
        let range = SubscriptionRange(app)
        func known(_ row: any Statement) -> KnownDevice? {
            let id = row.integer(0)
            // A mark belongs to one app. Marks of two apps may be equal by chance, because a mark has only 64
            // bits.
            guard (range.first...range.last).contains(id) else { return nil }
            return KnownDevice(id: id, userKey: unsafe String(decoding: row.bytes(1), as: UTF8.self))
        }
        try Batch(db, one: HotSQL.findDeviceByMark, many: HotSQL.findDevicesByMarks).rowOfEach(marked) {
            $1.bind(registrations[$0].mark, at: 1)
        } row: {
            found[$0] = $1.flatMap(known)
        }
        return found
    }

    private mutating func insert(_ new: [Int]) throws {
        guard !new.isEmpty else { return }
        let seconds = registrations[new[0]].at.time.secondsSince1970
        if let many = try db.arrayStatement(HotSQL.insertSubscriptions) {
            many.bind(app.rawValue, at: 1)
            many.bind(seconds, at: 2)
            many.bind(new.map { ids[$0] }, at: 3)
            many.bind(new.map { registrations[$0].token }, at: 4)
            many.bind(new.map { registrations[$0].userKey }, at: 5)
            many.bind(new.map { chunk.parameters($0) }, at: 6)
            guard try many.change() == new.count else { throw UnreadableValue() }
        } else {
            let insertion = try db.statement(HotSQL.insertSubscription)
            insertion.bind(app.rawValue, at: 2)
            insertion.bind(seconds, at: 6)
            for index in new {
                insertion.bind(ids[index], at: 1)
                chunk.bindToken(of: index, to: insertion, at: 3)
                chunk.bind(.userKey, of: index, to: insertion, at: 4)
                chunk.bind(.parameters, of: index, to: insertion, at: 5)
                guard try insertion.change() == 1 else { throw UnreadableValue() }
            }
        }
        let named = new.filter { !chunk.isEmpty(.userKey, of: $0) }
        try UserKeyHints(db, app).add(chunk.gathered(named.map(UInt32.init)), ids: named.map { ids[$0] })
        for index in new { ends[index] = .inserted }
    }

    /// Writes the registrations of known tokens, and of known devices that now have a different token.
    private mutating func registerAgain(_ known: [KnownSubscriber?], _ devices: [KnownDevice?]) throws {
        let update = try db.statement(HotSQL.registerAgain)
        let hints = try UserKeyHints(db, app)
        var changed = Set<Int64>()
        var moved: [(id: Int64, old: String, new: String)] = []
        for (index, registration) in registrations.enumerated() {
            guard let id = known[index]?.id ?? devices[index]?.id else { continue }
            let old = devices[index]?.id ?? id
            // A registration must not be written before an earlier one that was postponed.
            let isFirst = changed.isDisjoint(with: [id, old])
            changed.formUnion([id, old])
            guard isFirst else {
                postponed.append(index)
                continue
            }
            let otherUserKey: String?
            if let known = known[index] {
                (otherUserKey, ends[index]) = (known.otherUserKey, .updated)
                // The device had another token before it received this one again.
                if old != id { _ = try SubscriberRemover.remove(old, at: registration.at, db) }
            } else {
                ends[index] = .moved
                let present = devices[index]?.userKey
                let isSame = present.map(ExactText.init) == ExactText(registration.userKey)
                otherUserKey = isSame ? nil : present
            }
            ids[index] = id
            update.bind(id, at: 1)
            update.bind(token: registration.token, at: 2)
            update.bind(registration.userKey, at: 3)
            try bindParameters(of: registration, as: id, to: update)
            update.bind(registration.at.time.secondsSince1970, at: 6)
            try update.run()
            if let otherUserKey { moved.append((id, otherUserKey, registration.userKey)) }
        }
        try hints.change(moved)
    }

    /// - Parameter update: The statement ``HotSQL/registerAgain``.
    private func bindParameters(
        of registration: RegistrationRecord, as id: Int64, to update: any Statement
    ) throws {
        guard !registration.replacesParameters, !registration.parameterChanges.isEmpty else {
            update.bind(registration.parametersJSON, at: 4)
            update.bind(registration.replacesParameters, at: 5)
            return
        }
        let statement = try db.statement(HotSQL.parametersOfUser)
        statement.bind(id, at: 1)
        statement.bind(registration.userKey, at: 2)
        let stored = try statement.firstRow().flatMap { try $0[0] as String? }
        update.bind(ParameterText.changed(stored, by: registration.parameterChanges), at: 4)
        update.bind(true, at: 5)
    }

    private func noteDevices() throws {
        let written = registrations.indices.filter { ids[$0] != 0 }
        guard !written.isEmpty else { return }
        try Batch(db, one: HotSQL.noteDevice, many: HotSQL.noteDevices).run(written) { index, parameters in
            parameters.bind(ids[index], at: 1)
            parameters.bind(registrations[index].mark, at: 2)
            for (place, fact) in DeviceFacts.columns.enumerated() {
                parameters.bind(fact(registrations[index].device), at: Int32(place + 3))
            }
        }
    }
}

/// A device that registered before.
private struct KnownDevice {
    var id: Int64
    var userKey: String
}

extension DeviceFacts {
    /// The values in the order of the columns of `device`.
    fileprivate static let columns: [@Sendable (DeviceFacts) -> String] = [
        { $0.name }, { $0.model }, { $0.brand }, { $0.manufacturer }, { $0.osName }, { $0.osVersion },
        { $0.language },
    ]
}
