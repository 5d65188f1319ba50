/// The definition of one scenario of a report, read from a document.
///
/// **Failures.** A document with an unknown member, or with a value that a member does not accept, is refused
/// with one line that states the document, the member, the value and the accepted values.
package struct ScenarioDocument: Equatable, Sendable {
    package enum Loop: Equatable, Sendable {
        /// This number of deliveries is under way at the same time. When one of them has ended, the next
        /// delivery arrives.
        case closed(callers: Int)
        /// Deliveries arrive at this rate, regardless of the results of earlier deliveries.
        case open(perSecond: Double)
    }

    package struct Gateway: Equatable, Sendable {
        package var delayMilliseconds = 0
        package var streams = 1_000
        package var unavailablePercent = 0.0
        package var refusedPercent = 0.0
        package var deadPercent = 0.0

        /// A gateway that accepts everything.
        package static let usual = Gateway()
    }

    package var name: String
    package var seed = 1
    package var messages: Int
    package var isAndroid = false
    package var accounts = 1
    package var deliveries = 1
    package var loop = Loop.closed(callers: 1)
    package var isPersonal = false
    package var registrations = 0
    package var registrationsPerSecond = 200.0
    package var restarts = false
    package var hosts = 1
    package var isOnPostgreSQL = false
    package var gateway = Gateway()

    /// The number of messages of one delivery to the app of one account.
    package var recipients: Int { messages / deliveries / accounts }

    /// The maximum number of apps per delivery. A delivery to more accounts is submitted in as many parts as
    /// necessary.
    private static let appsPerPart = 100
    package var partsPerDelivery: Int { (accounts + Self.appsPerPart - 1) / Self.appsPerPart }

    /// Returns the accounts, numbered from 0, whose apps belong to a part. Part numbers continue from one
    /// delivery to the next.
    package func accounts(ofPart number: Int) -> Range<Int> {
        let first = number % partsPerDelivery * Self.appsPerPart
        return first..<min(first + Self.appsPerPart, accounts)
    }

    package var isOpenLoop: Bool { if case .open = loop { true } else { false } }

    // MARK: Reading

    /// - Parameter source: The name of the document in errors.
    package init(_ bytes: [UInt8], from source: String) throws(LoadError) {
        let given = try Self.checked(try DocumentValue(document: bytes, from: source), from: source)
        let values = Values(given: given)
        (name, seed, messages) = (values.text("name"), values.whole("seed"), values.whole("messages"))
        (accounts, deliveries) = (values.whole("accounts"), values.whole("deliveries"))
        isAndroid = values.text("platform") == "android"
        let isOpen = values.text("loop") == "open"
        loop =
            isOpen
            ? .open(perSecond: values.number("deliveriesPerSecond"))
            : .closed(callers: values.whole("callers"))
        (isPersonal, restarts) = (values.truth("personal"), values.truth("restart"))
        registrations = values.whole("registrations")
        registrationsPerSecond = values.number("registrationsPerSecond")
        hosts = values.whole("hosts")
        isOnPostgreSQL = values.text("store") == "postgresql" || (hosts > 1 && given["store"] == nil)
        gateway = Gateway(
            delayMilliseconds: values.whole("gateway/delayMilliseconds"),
            streams: values.whole("gateway/streams"),
            unavailablePercent: values.number("gateway/unavailablePercent"),
            refusedPercent: values.number("gateway/refusedPercent"),
            deadPercent: values.number("gateway/deadPercent"))
        try checkTogether(given, from: source)
    }

    /// Returns the members that are present, keyed by their paths. Each returned member is known and has an
    /// accepted value.
    private static func checked(
        _ document: DocumentValue, from source: String
    ) throws(LoadError) -> [String: DocumentValue] {
        guard case .members(let top) = document else {
            throw LoadError("\(source): is \(document); it must be an object with the members of a scenario")
        }
        var given: [String: DocumentValue] = [:]
        for (name, value) in top {
            guard name == "gateway" else {
                // A name that contains a slash is quoted, because it is not a path.
                given[name.contains("/") ? "\"\(name)\"" : name] = value
                continue
            }
            guard case .members(let inner) = value else {
                throw LoadError("\(source): gateway is \(value); it must be an object")
            }
            for (name, value) in inner { given["gateway/\(name)"] = value }
        }
        for (path, value) in given.sorted(by: { $0.key < $1.key }) {
            guard let member = ScenarioMember.all.first(where: { $0.path == path }) else {
                let names = ScenarioMember.all.map(\.path).joined(separator: ", ")
                throw LoadError(
                    """
                    \(source): \(DocumentValue.shortened(path)) is \(value), but a scenario has no such \
                    member; its members are \(names)
                    """
                )
            }
            guard member.takes(value) else {
                throw LoadError("\(source): \(path) is \(value); it must be \(member.allowed)")
            }
        }
        for member in ScenarioMember.all where member.usual == nil && given[member.path] == nil {
            throw LoadError("\(source): \(member.path) is missing; it must be \(member.allowed)")
        }
        return given
    }

    /// Checks for values that are wrong only in combination with other values.
    private func checkTogether(_ given: [String: DocumentValue], from source: String) throws(LoadError) {
        func refuse(_ member: String, _ allowed: String) -> LoadError {
            let value = given[member] ?? ScenarioMember.all.first { $0.path == member }?.usual ?? .null
            return LoadError("\(source): \(member) is \(value); it must be \(allowed)")
        }
        if messages % (deliveries * accounts) != 0 {
            throw refuse(
                "messages", "a multiple of \(deliveries * accounts), which is deliveries times accounts")
        }
        switch loop {
        case .closed where given["deliveriesPerSecond"] != nil:
            throw refuse("deliveriesPerSecond", "absent in a closed loop")
        case .open where given["callers"] != nil: throw refuse("callers", "absent in an open loop")
        default: break
        }
        if registrations == 0, given["registrationsPerSecond"] != nil {
            throw refuse("registrationsPerSecond", "absent without registrations")
        }
        if isAndroid, accounts > 1 { throw refuse("accounts", "1 if platform is \"android\"") }
        if hosts > 1, !isOnPostgreSQL { throw refuse("store", "\"postgresql\" if hosts is greater than 1") }
        if restarts, hosts > 1 { throw refuse("restart", "false if hosts is greater than 1") }
        if gateway.deadPercent > 0, deliveries > 1 {
            throw refuse("gateway/deadPercent", "0 if deliveries is greater than 1")
        }
        let faults = gateway.unavailablePercent + gateway.refusedPercent + gateway.deadPercent
        if faults > 100 {
            throw refuse(
                "gateway/unavailablePercent",
                "at most 100 together with refusedPercent and deadPercent, not \(faults)"
            )
        }
    }

    /// The values of members that were checked.
    private struct Values {
        let given: [String: DocumentValue]

        private func value(_ path: String) -> DocumentValue {
            given[path] ?? ScenarioMember.all.first { $0.path == path }?.usual ?? .null
        }

        func text(_ path: String) -> String {
            if case .text(let text) = value(path) { text } else { "" }
        }

        func truth(_ path: String) -> Bool { value(path) == .truth(true) }

        func whole(_ path: String) -> Int {
            if case .whole(let whole) = value(path) { whole } else { 0 }
        }

        func number(_ path: String) -> Double {
            switch value(path) {
            case .whole(let whole): Double(whole)
            case .number(let number): number
            default: 0
            }
        }
    }

    // MARK: For people

    /// The conditions that differ from the defaults, in a few words each.
    package var conditions: [String] {
        var words = ["\(messages) messages \(isAndroid ? "to FCM" : "to APNs")"]
        if deliveries > 1 { words.append("in \(deliveries) deliveries") }
        switch loop {
        case .closed(let callers):
            words.append("closed loop" + (callers > 1 ? ", \(callers) callers" : ""))
        case .open(let perSecond):
            words.append("open loop, \(perSecond.fixed(perSecond < 10 ? 2 : 0)) deliveries/s")
        }
        if accounts > 1 { words.append("\(accounts) accounts") }
        if isPersonal { words.append("personalised") }
        if gateway.delayMilliseconds > 0 {
            words.append("gateway answers after \(gateway.delayMilliseconds) ms")
        }
        if gateway.streams != 1_000 { words.append("\(gateway.streams) requests at once") }
        for (percent, fault) in [
            (gateway.unavailablePercent, "unavailable"), (gateway.refusedPercent, "refused"),
            (gateway.deadPercent, "dead"),
        ] where percent > 0 {
            words.append("\(ScenarioMember.text(percent)) % \(fault)")
        }
        if registrations > 0 {
            words.append("then \(registrations) registrations, \(registrationsPerSecond.fixed(0))/s")
        }
        if restarts { words.append("the master is killed and restarted") }
        if hosts > 1 { words.append("\(hosts) hosts") }
        words.append(isOnPostgreSQL ? "PostgreSQL" : "SQLite")
        return words + ["seed \(seed)"]
    }
}
