/// A device of a fleet: its properties, its registrations and its reactions to notifications. They are random
/// but identical for the same seed, so they need not be stored.
package struct FleetDevice: Sendable {
    /// The data that a device sends when it registers.
    package struct Registration: Equatable, Sendable {
        package var token: String
        package var userKey: String
        package var parameters: [String: String]
    }

    /// A report that a device sends to the tracking server.
    package enum Report: Equatable, Sendable {
        case received
        case clicked
        case forged(ForgedReport)
    }

    /// Reports that no correct device sends.
    package enum ForgedReport: CaseIterable, Sendable {
        /// A UUID that was never assigned.
        case strangeUUID
        /// A number greater than any integer id that is assigned.
        case strangeInteger
        /// The id of the device's own message, with a delivery that does not exist.
        case otherDelivery
        /// The id of the device's own message, with a tag that means neither received nor clicked.
        case otherTag
        /// A report without an id.
        case noID

        /// Whether the request does not have the form of a report.
        package var isMalformed: Bool { self == .otherTag || self == .noID }
    }

    /// The two parts of a run. Each notification belongs to one of them.
    package enum DeliveryRun: Int, CaseIterable, Sendable { case delivery, singleMessages }

    package let index: Int
    package let isAndroid: Bool
    /// The device's registrations in order. The last one contains the device's current token and data.
    package let registrations: [Registration]
    package let osVersion: String
    package let language: String
    private let seed: UInt64

    /// The prefix of the tokens that devices had before they were reinstalled. No other token begins with it.
    package static let leftPrefix = "dead"

    package init(_ index: Int, seed: UInt64) {
        self.index = index
        self.seed = seed
        isAndroid = index % 2 == 1
        var chance = SplitMix64(seed: seed, of: index)
        osVersion =
            isAndroid
            ? "Android \(Int.random(in: 12...15, using: &chance))"
            : "iOS 17.\(Int.random(in: 0...3, using: &chance))"
        language = ["en-US", "fr-FR", "ja-JP", "de-AT"][Int.random(in: 0..<4, using: &chance)]
        registrations = Self.registrations(index, seed, isAndroid, &chance)
    }

    private static func registrations(
        _ index: Int, _ seed: UInt64, _ isAndroid: Bool, _ chance: inout SplitMix64
    ) -> [Registration] {
        func token(_ beginning: String) -> String {
            SyntheticSubscribers(
                index + 1, seed: seed, prefixes: [beginning], perPrefix: index + 1, isAndroid: isAndroid
            ).token(index)
        }
        let isReinstalled = chance.happens(3)
        var now = Registration(
            token: token(isReinstalled ? leftPrefix : "0"), userKey: userKey(index, &chance),
            parameters: parameters(&chance))
        var all = [now]
        if chance.happens(10) { all.append(now) }
        if isReinstalled {
            now.token = token("0")
            all.append(now)
        }
        if chance.happens(8) {
            now.userKey = userKey(index, &chance)
            now.parameters = parameters(&chance)
            all.append(now)
        }
        return all
    }

    /// Returns a user key. Some devices have no user key, and some have the same key as another device.
    private static func userKey(_ index: Int, _ chance: inout SplitMix64) -> String {
        switch Int.random(in: 0..<100, using: &chance) {
        case ..<10: ""
        case ..<40: "family-\(index / 4)@example.com"
        case ..<50: "Žofie + Søn & \"Co\", \(index)"
        default: "user-\(index)@example.com"
        }
    }

    private static func parameters(_ chance: inout SplitMix64) -> [String: String] {
        guard !chance.happens(15) else { return [:] }
        let cities = ["Paris", "L'Haÿ-les-Roses", "東京", "<A> & \"B\", C"]
        var parameters = [
            "city": cities[Int.random(in: 0..<cities.count, using: &chance)],
            "points": "\(Int.random(in: 0...9_999, using: &chance))",
        ]
        if chance.happens(50) { parameters["vip"] = "\(Bool.random(using: &chance))" }
        return parameters
    }

    // MARK: What the store should know

    /// The registrations of the device that the store must contain at the end. If an iOS device was
    /// reinstalled, the registration with its old token is among them, because an iOS device does not send
    /// anything that identifies it.
    package var subscriptions: [Registration] {
        var last: [Registration] = []
        for registration in registrations {
            if isAndroid || last.last?.token == registration.token { last = last.dropLast() }
            last.append(registration)
        }
        return last
    }

    var app: String { FleetScenario.apps[isAndroid ? 1 : 0] }

    package var token: String { registrations[registrations.count - 1].token }

    // MARK: What it sends

    func form(_ step: Int) -> DeviceForm {
        let registration = registrations[step]
        var form = DeviceForm(isAndroid: isAndroid, token: registration.token, integrationKey: app)
        form.userKey = registration.userKey
        form.osVersion = osVersion
        form.language = language
        form.parameters = registration.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if isAndroid {
            let id = String(UInt64(index) &* 0x9E37_79B9_7F4A_7C15 | 1 << 63, radix: 16)
            (form.imei, form.name, form.model) = (id, "panther", "Pixel 7")
            (form.brand, form.manufacturer, form.osName) = ("google", "Google", "android")
        } else {
            (form.name, form.model, form.osName) = ("iPhone of \(index)’s owner", "iPhone", "iOS")
            (form.brand, form.manufacturer) = ("Apple", "Apple")
        }
        return form
    }

    /// Returns the reports that the device sends about its notification in this part of the run, in order.
    package func reports(_ chapter: DeliveryRun) -> [Report] {
        var chance = SplitMix64(seed: seed, of: index, for: 1 + chapter.rawValue)
        var reports: [Report] = []
        if chance.happens(75) {
            reports.append(.received)
            if chance.happens(10) { reports.append(.received) }
        }
        if chance.happens(30) {
            reports.append(.clicked)
            if chance.happens(10) { reports.append(.clicked) }
            // Some systems run an app's extension late, so the `received` report may follow the click.
            if chance.happens(5) { reports.append(.received) }
        }
        if chance.happens(3) {
            let forgery = ForgedReport.allCases[
                Int.random(in: 0..<ForgedReport.allCases.count, using: &chance)]
            reports.insert(.forged(forgery), at: Int.random(in: 0...reports.count, using: &chance))
        }
        return reports
    }

    /// Returns the query of a report about message `id` of delivery `delivery`.
    package func query(_ report: Report, id: String, delivery: Int) -> String {
        let own = DeviceForm.reported(id, isAndroid: isAndroid)
        var chance = SplitMix64(seed: seed, of: index, for: 100)
        switch report {
        case .received: return "id=h\(own),\(delivery),1"
        case .clicked: return "id=h\(own),\(delivery),2"
        case .forged(.strangeUUID):
            let digits = Array((0..<2).map { _ in Self.hex(chance.next(), 16) }.joined())
            let groups = [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
            return "id=h\(groups.map { String($0) }.joined(separator: "-")),\(delivery),1"
        case .forged(.strangeInteger): return "id=h\(Self.hex(chance.next() | 1 << 31, 8)),\(delivery),2"
        case .forged(.otherDelivery): return "id=h\(own),\(Int32.max),1"
        case .forged(.otherTag): return "id=h\(own),\(delivery),3"
        case .forged(.noID): return "id=hinvalid,\(delivery),1"
        }
    }

    private static func hex(_ word: UInt64, _ count: Int) -> String {
        let digits = String(word, radix: 16)
        return String((String(repeating: "0", count: 16) + digits).suffix(count))
    }
}
