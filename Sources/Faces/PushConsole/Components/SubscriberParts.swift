internal import PushAPI
internal import PushModel

/// A person with all devices, or one device of a person who is not known, as addresses and forms name it.
struct PersonAddress {
    let who: SubscriberName
    /// The number of a device that has no user key. Addresses contain it instead of the token.
    private var device: Int64?

    init(_ who: SubscriberName) { self.who = who }

    /// The person that a query or a form names.
    /// - Throws: ``Refusal/notFound`` if it names none, or a device that does not exist.
    init(_ fields: FormFields, _ visit: Visit) throws {
        if let key = fields.exact("key"), !key.isEmpty {
            who = .userKey(key)
        } else if let token = fields.given("token") {
            who = .token(token)
        } else if let text = fields.given("device"), let number = Int64(text),
            let found = try visit.operations.carryOut(FindNumberedDevice(number: number))
        {
            (who, device) = (found, number)
        } else {
            throw Refusal.notFound
        }
    }

    /// A person who has this device; the device alone if it has no user key.
    /// - Parameter number: The device's number; `nil` if it is not known.
    init?(of device: SubscriberView, number: Int64?) {
        guard device.userKey.isEmpty else {
            who = .userKey(device.userKey)
            return
        }
        guard let number else { return nil }
        (who, self.device) = (.token(device.token), number)
    }

    /// The user key; `nil` if the device has none.
    var key: String? { if case .userKey(let key) = who { key } else { nil } }
    private var token: String? {
        if case .token(let token) = who, device == nil { token } else { nil }
    }
    private var number: String? { device.map { "\($0)" } }

    /// The person's name in the title of a page.
    var name: String { key ?? Phrase.deviceAlone.text }
    /// The heading of the person's page.
    var title: HTML { key.map { "\(name: $0)" as HTML } ?? "\(Phrase.deviceAlone)" }
    var crumbs: [(title: HTML, path: ConsolePath)] {
        [("\(NavigationItem.subscribers.title)", NavigationItem.subscribers.path)]
    }
    var crumbsToPerson: [(title: HTML, path: ConsolePath)] { crumbs + [(title, path)] }

    var path: ConsolePath { path("/subscribers/person") }
    func path(_ base: ConsolePath) -> ConsolePath {
        base.with("key", key).with("token", token).with("device", number)
    }

    /// Hidden fields with which a form names the person.
    var hidden: HTML {
        let fields = [("key", key), ("token", token), ("device", number)].compactMap { name, value in
            value.map { FormFields.Field(name: name, value: $0) }
        }
        return Visit.hidden(FormFields(fields))
    }
}

extension SubscriberView {
    var stateBadge: HTML { Self.badge(state) }

    static func badge(_ state: String) -> HTML {
        switch SubscriberState(rawValue: state) {
        case .valid: HTML.badge(.good, .stateValid)
        case .counting: HTML.badge(.warn, .stateCounting)
        case .quarantined: HTML.badge(.warn, .stateQuarantined)
        case .disabled: HTML.badge(.bad, .stateDisabled)
        case .optedOut: HTML.badge(.neutral, .stateOptedOut)
        case nil: HTML.badge(.neutral, Phrase(same: state))
        }
    }

    /// The device as its owner would call it.
    var device: HTML {
        let maker = [brand, model].filter { !$0.isEmpty }.joined(separator: " ")
        let name = [deviceName, maker].first { !$0.isEmpty }
        return name.map { "\(name: $0)" as HTML } ?? "\(Phrase.unknownDevice)"
    }

    /// Whether deliveries leave the device out because of its errors.
    var isReleasable: Bool {
        [SubscriberState.counting, .quarantined, .disabled].map(\.rawValue).contains(state)
    }
}

extension SubscriberState {
    var title: Phrase {
        switch self {
        case .valid: .stateValid
        case .counting: .stateCounting
        case .quarantined: .stateQuarantined
        case .disabled: .stateDisabled
        case .optedOut: .stateOptedOut
        }
    }
}

extension Phrase {
    fileprivate static let stateValid = Phrase("Active", "Aktiv")
    fileprivate static let stateCounting = Phrase("Active, with errors", "Aktiv, mit Fehlern")
    fileprivate static let stateQuarantined = Phrase("Quarantined", "In Quarantäne")
    fileprivate static let stateDisabled = Phrase("Disabled", "Deaktiviert")
    fileprivate static let stateOptedOut = Phrase("Opted out", "Abgemeldet")
    fileprivate static let unknownDevice = Phrase("Unknown device", "Unbekanntes Gerät")
    fileprivate static let deviceAlone = Phrase("Device without a user key", "Gerät ohne Nutzerschlüssel")
}
