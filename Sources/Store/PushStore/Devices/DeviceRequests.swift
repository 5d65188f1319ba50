internal import PushModel

/// Carries out what devices request instead of a registration, within the caller's transaction.
struct DeviceRequests {
    let db: any Session

    /// - Parameter events: Receives the subscription, if the request changed one.
    func carryOut(_ request: RegistrationRecord, _ events: inout DeviceEvents) throws -> RegistrationEnd {
        guard try App.exists(request.app, db) else { return .noApp }
        let id = try db.value(
            Int64.self, sql: HotSQL.findByToken,
            arguments: [request.app.rawValue, StoredToken.value(of: request.token)])
        switch request.purpose {
        case .register: throw UnreadableValue()
        case .unregister:
            guard let id else { return .unregistered }
            _ = try SubscriberRemover.remove(id, at: request.at, db)
            events.note(.unregistered, [id])
            return .unregistered
        case .optOut:
            try optOut(request, id, &events)
            return .optedOut
        }
    }

    /// An opt-out is also recorded for a token that is not registered: the device may send its registration
    /// at the same time, and the server may receive the opt-out first.
    private func optOut(_ request: RegistrationRecord, _ id: Int64?, _ events: inout DeviceEvents) throws {
        let table = OptOuts(db: db, app: request.app)
        let present = try id.flatMap { try OptOutDevice.find($0, db) }
        let known = present?.marks ?? []
        let marks = known + request.optOutMarks.filter { !known.contains($0) }
        let userKey = request.userKey.isEmpty ? present?.userKey ?? "" : request.userKey
        try table.add(OptOuts.person(userKey), to: marks, by: .device, at: request.at.time)
        guard let id, let present, !present.isOptedOut else { return }
        // The person may have logged out, and another person may have logged in, since the app sent this.
        guard present.userKey.isEmpty || ExactText(present.userKey) == ExactText(userKey) else { return }
        try db.run(sql: HotSQL.quarantineSubscription, arguments: [id, StateCode.optedOut])
        events.note(.optedOut, [id], by: .device)
    }
}

extension OptOuts {
    /// Deletes the opt-outs that apply to the present user of a subscription, which is about to be erased.
    static func erase(ofUserOf subscription: Int64, _ db: any Session) throws {
        guard let device = try OptOutDevice.find(subscription, db) else { return }
        try OptOuts(db: db, app: device.app).lift(from: device.marks, for: device.userKey)
    }
}
