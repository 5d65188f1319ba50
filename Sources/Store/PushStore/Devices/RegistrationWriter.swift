internal import PushModel

/// Registers devices.
///
/// A new token receives a subscription. A registration with a known token replaces the stored user key,
/// device data and time, ends the quarantine, and replaces the stored parameters if the device sends any. If
/// the user key changes, the previous user's parameters are erased. If a device that is known by its own id
/// registers with a different token, it keeps its subscription, which receives the new token: Android gives
/// an app a new token after the app is reinstalled or its data is cleared, and the old token no longer
/// reaches any device.
///
/// Limits: an iOS device sends no id, so its old token stays until Apple reports that the token is
/// unregistered. An imported device also has no id until it registers.
package struct RegistrationWriter: Sendable {
    /// The maximum number of registrations in one call.
    package static let registrationsPerCall = 500
    /// Returns the number of rows that one registration may change: subscription, user key (old and new),
    /// device, the remains of another subscription of the device, and counts of undeclared parameters and of
    /// the integration key. The rows of opt-outs are not included for a registration, because few devices
    /// have any.
    static func rows(of registration: RegistrationRecord) -> Int {
        switch registration.purpose {
        case .register:
            8 + UndeclaredParameters.rows(for: registration.undeclaredNames.count)
                + (registration.countedKey == nil ? 0 : 1)
        case .unregister, .optOut: 8 + OptOuts.rowsPerDevice
        }
    }

    let connection: Connection

    /// - Parameter registrations: At most ``registrationsPerCall``. If several have the same token or device,
    ///   the later ones are applied to the results of the earlier ones.
    package func register(_ registrations: [RegistrationRecord]) throws(StoreError) -> [RegistrationEnd] {
        guard registrations.count <= Self.registrationsPerCall else {
            let what = "one call registers at most \(Self.registrationsPerCall) devices"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("register devices") { db in
            let wanted = try WantedEvents(db)
            var events = DeviceEvents()
            var ends = Array(repeating: RegistrationEnd.noApp, count: registrations.count)
            for var run in Self.runs(of: registrations) {
                if let first = run.first, registrations[first].purpose != .register {
                    ends[first] = try DeviceRequests(db: db).carryOut(registrations[first], &events)
                    continue
                }
                while !run.isEmpty {
                    var page = try RegistrationPage(db, run.map { registrations[$0] })
                    try page.write()
                    events.note(.registered, page.changed)
                    for (index, end) in zip(run, page.ends) { ends[index] = end }
                    // The first registration of a page is never postponed.
                    run = page.postponed.map { [run] in run[$0] }
                }
            }
            if let last = registrations.last { try events.write(wanted, at: last.at, db) }
            if registrations.contains(where: { !$0.undeclaredNames.isEmpty }) {
                try UndeclaredParameters(db: db).count(
                    zip(registrations, ends).filter { $1 != .noApp }.map { $0.0 })
            }
            if registrations.contains(where: { $0.countedKey != nil }) {
                try IntegrationKeys(db: db).count(
                    zip(registrations, ends).filter { $1 != .noApp }.map { $0.0 })
            }
            return ends
        }
    }

    /// Returns runs of registrations with one app that can be looked up together and then written: no two
    /// registrations of a run have the same token or device. Usually, there is one run for each app; the runs
    /// of one app are in order. A request that is not a registration is a run of its own.
    private static func runs(of registrations: [RegistrationRecord]) -> [[Int]] {
        struct Open {
            var run: Int
            var tokens: Set<String> = []
            var marks: Set<Int64> = []
        }
        var runs: [[Int]] = []
        var open: [AppID: Open] = [:]
        for (index, registration) in registrations.enumerated() {
            let app = registration.app
            guard registration.purpose == .register else {
                open[app] = nil
                runs.append([index])
                continue
            }
            let isMet = open[app].map { open in
                open.tokens.contains(registration.token)
                    || registration.mark.map(open.marks.contains) ?? false
            }
            if isMet ?? true {
                open[app] = Open(run: runs.count)
                runs.append([])
            }
            open[app]?.tokens.insert(registration.token)
            if let mark = registration.mark { open[app]?.marks.insert(mark) }
            if let run = open[app]?.run { runs[run].append(index) }
        }
        return runs
    }
}
