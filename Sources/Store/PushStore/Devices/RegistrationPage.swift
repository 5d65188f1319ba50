internal import PushModel

/// Registrations with one app that are written together, within the caller's transaction. No two of them have
/// a token or a device in common.
struct RegistrationPage {
    private(set) var ends: [RegistrationEnd]
    /// The positions of registrations that concern a subscription that an earlier registration of this page
    /// has changed. These registrations must be looked up again.
    private(set) var postponed: [Int] = []
    /// The subscriptions that are new, or that have another token or user key.
    private(set) var changed: [Int64] = []

    private let db: any Session
    private let app: AppID
    private let registrations: [RegistrationRecord]
    private let chunk: SubscriberChunk
    /// The resulting subscription of each registration.
    private var ids: [Int64]
    /// What is known about opt-outs of each registering device; empty if the app has no opt-outs.
    private var optOuts: [DeviceOptOuts] = []

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
        guard let (last, hasOptOuts) = try takeSequences(new.count) else { return }
        if hasOptOuts { optOuts = try DeviceOptOuts.find(registrations, db) }
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

    private func takeSequences(_ count: Int) throws -> (last: Int64, hasOptOuts: Bool)? {
        let sql =
            count > 0
            ? HotSQL.takeSequences
            : "SELECT last_sequence, \(OptOuts.anyOfApp) FROM app WHERE id = ?1 AND removed_at IS NULL"
        let statement = try db.statement(sql)
        defer { statement.reset() }
        statement.bind(app.rawValue, at: 1)
        if count > 0 { statement.bind(Int64(count), at: 2) }
        return try statement.next() ? (statement.integer(0), statement.integer(1) != 0) : nil
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
            return KnownDevice(
                id: id, userKey: unsafe String(decoding: row.bytes(1), as: UTF8.self),
                isOptedOut: row.integer(2) == StateCode.optedOut)
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
        for index in new {
            ends[index] = .inserted
            changed.append(ids[index])
            if try state(of: index, wasOptedOut: nil) != StateCode.valid {
                try db.run(
                    sql: HotSQL.quarantineSubscription, arguments: [ids[index], StateCode.optedOut])
            }
        }
    }

    /// Returns the state of the subscription after the registration.
    /// - Parameter wasOptedOut: `nil` if the subscription is new.
    private func state(of index: Int, wasOptedOut: Bool?) throws -> Int64 {
        guard optOuts.indices.contains(index) else { return StateCode.valid }
        let isOptedOut = try optOuts[index].settle(registrations[index], wasOptedOut: wasOptedOut, db)
        return isOptedOut ? StateCode.optedOut : StateCode.valid
    }

    /// Writes the registrations of known tokens, and of known devices that now have a different token.
    private mutating func registerAgain(_ known: [KnownSubscriber?], _ devices: [KnownDevice?]) throws {
        let update = try db.statement(HotSQL.registerAgain)
        let hints = try UserKeyHints(db, app)
        var written = Set<Int64>()
        var moved: [(id: Int64, old: String, new: String)] = []
        for (index, registration) in registrations.enumerated() {
            guard let id = known[index]?.id ?? devices[index]?.id else { continue }
            let old = devices[index]?.id ?? id
            // A registration must not be written before an earlier one that was postponed.
            let isFirst = written.isDisjoint(with: [id, old])
            written.formUnion([id, old])
            guard isFirst else {
                postponed.append(index)
                continue
            }
            let wasOptedOut = known[index]?.isOptedOut == true || devices[index]?.isOptedOut == true
            let state = try state(of: index, wasOptedOut: wasOptedOut)
            let otherUserKey: String?
            if let known = known[index] {
                (otherUserKey, ends[index]) = (known.otherUserKey, .updated)
                // The device had another token before it received this one again.
                if old != id {
                    try forgetOptOuts(ofTokenOf: old)
                    _ = try SubscriberRemover.remove(old, at: registration.at, db)
                }
            } else {
                ends[index] = .moved
                try forgetOptOuts(ofTokenOf: id)
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
            update.bind(state, at: 7)
            try update.run()
            if otherUserKey != nil || old != id || ends[index] == .moved { changed.append(id) }
            if let otherUserKey { moved.append((id, otherUserKey, registration.userKey)) }
        }
        try hints.change(moved)
    }

    /// The opt-outs of the device are stored under its new token already.
    private func forgetOptOuts(ofTokenOf id: Int64) throws {
        guard !optOuts.isEmpty else { return }
        let table = OptOuts(db: db, app: app)
        if let mark = try table.mark(ofTokenOf: id) { try table.forget(mark) }
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
    var isOptedOut: Bool
}

/// The opt-outs that are stored about a registering device.
private struct DeviceOptOuts {
    /// The marks of the device: that of its token, and that of its id if it sends one.
    var marks: [Int64]
    /// The persons who have opted out, for each mark.
    var persons: [Set<Int64>] = []

    /// - Returns: One element for each registration.
    static func find(_ registrations: [RegistrationRecord], _ db: any Session) throws -> [DeviceOptOuts] {
        guard let app = registrations.first?.app else { return [] }
        var devices = registrations.map { DeviceOptOuts(marks: $0.optOutMarks) }
        var found = try OptOuts(db: db, app: app).persons(of: devices.flatMap(\.marks))[...]
        for index in devices.indices {
            let count = devices[index].marks.count
            devices[index].persons = Array(found.prefix(count))
            found = found.dropFirst(count)
        }
        return devices
    }

    func settle(_ registration: RegistrationRecord, wasOptedOut: Bool?, _ db: any Session) throws -> Bool {
        try OptOuts(db: db, app: registration.app).settle(
            marks, persons, userKey: registration.userKey, wasOptedOut: wasOptedOut,
            lifts: registration.liftsOptOut)
    }
}

extension RegistrationRecord {
    /// The marks under which opt-outs of this device are stored.
    var optOutMarks: [Int64] { [OptOuts.mark(ofToken: token, app)] + (mark.map { [$0] } ?? []) }
}

extension DeviceFacts {
    /// The values in the order of the columns of `device`.
    fileprivate static let columns: [@Sendable (DeviceFacts) -> String] = [
        { $0.name }, { $0.model }, { $0.brand }, { $0.manufacturer }, { $0.osName }, { $0.osVersion },
        { $0.language },
    ]
}
