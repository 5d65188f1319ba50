internal import PushModel

/// Registers devices.
///
/// A token that is new gets a subscription; of a known one user key, device and time are replaced, parameters
/// where the device says what they are, and it is out of quarantine. A device that is known by its own id with
/// another token keeps its subscription, which has the new token from then on: Android gives an app another
/// token when it is installed anew or its data are cleared, and nothing reaches the old one.
///
/// What this cannot see: an iOS device sends no id, so that its old token stays until Apple says that it is
/// unregistered; nor does a device that was imported have one before it registers.
package struct RegistrationWriter: Sendable {
    /// What one call takes.
    package static let registrationsPerCall = 500
    /// What one may change: subscription, user key (old and new), device; and what is left of another
    /// subscription of the device.
    static let rowsOfRegistration = 8

    let connection: Connection

    /// - Parameter registrations: at most ``registrationsPerCall``; of several with one token, or of one
    ///   device, the later ones find what the earlier ones left.
    package func register(_ registrations: [RegistrationRecord]) throws(StoreError) -> [RegistrationEnd] {
        guard registrations.count <= Self.registrationsPerCall else {
            let what = "one call registers at most \(Self.registrationsPerCall) devices"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("register devices") { db in
            var ends = Array(repeating: RegistrationEnd.noApp, count: registrations.count)
            for var wave in Self.waves(of: registrations) {
                while !wave.isEmpty {
                    var page = try RegistrationPage(db, wave.map { registrations[$0] })
                    try page.write()
                    for (index, end) in zip(wave, page.ends) { ends[index] = end }
                    // The first of a page is never postponed.
                    wave = page.postponed.map { wave[$0] }
                }
            }
            return ends
        }
    }

    /// Those that can be looked up together and then written: of one app, with a token and a device each of
    /// its own. Most often there is one wave for each app.
    private static func waves(of registrations: [RegistrationRecord]) -> [[Int]] {
        struct Names: Hashable {
            var app: AppID
            var wave: Int
        }
        var waves: [[Int]] = []
        var places: [Names: Int] = [:]
        var tokens: [AppID: [String: Int]] = [:]
        var marks: [Int64: Int] = [:]
        for (index, registration) in registrations.enumerated() {
            let taken = tokens[registration.app]?[registration.token] ?? 0
            let marked = registration.mark.flatMap { marks[$0] } ?? 0
            let wave = max(taken, marked)
            tokens[registration.app, default: [:]][registration.token] = wave + 1
            if let mark = registration.mark { marks[mark] = wave + 1 }
            let names = Names(app: registration.app, wave: wave)
            if let place = places[names] {
                waves[place].append(index)
            } else {
                places[names] = waves.count
                waves.append([index])
            }
        }
        // Of one app they are in the order of their waves: a later one is made when an earlier one is there.
        return waves
    }
}
