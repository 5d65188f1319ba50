/// A fact that the server collects about a subscriber from registrations and reports. Texts, targets and
/// exports use it by its name, which is the raw value.
///
/// **Rule.** These names are reserved: no app can declare a parameter with such a name. If an app declared
/// one before the names were reserved, the name means the parameter in this app. In all other apps, the name
/// means the fact, even if a device sends a parameter with this name.
package enum CollectedFact: String, CaseIterable, Sendable {
    case userKey
    case osLanguage, osName, osVersion
    case deviceName, deviceModel, deviceBrand, deviceManufacturer
    case createdAt, registeredAt, lastActiveAt

    /// The kind of a fact's values, which determines the conditions that a target may contain.
    package enum Kind: String, Sendable {
        case text
        /// A text such as `iOS 16.4`, whose order is that of the numbers.
        case version
        case date
    }

    package var kind: Kind {
        switch self {
        case .osVersion: .version
        case .createdAt, .registeredAt, .lastActiveAt: .date
        case .userKey, .osLanguage, .osName, .deviceName, .deviceModel, .deviceBrand, .deviceManufacturer:
            .text
        }
    }

    /// The meaning of the fact. The table in the documentation has the same text.
    package var meaning: String {
        switch self {
        case .userKey: "the app's own name for its user"
        case .osLanguage: "the language of the device, such as `fr-FR` or `fr_FR`"
        case .osName: "the operating system, such as `iOS` or `Android`"
        case .osVersion: "the operating system with its version, such as `iOS 16.4`"
        case .deviceName: "the name of the device"
        case .deviceModel: "the model, such as `iPhone14,2`"
        case .deviceBrand: "the brand"
        case .deviceManufacturer: "the manufacturer"
        case .createdAt: "the time of the first registration or import"
        case .registeredAt: "the time of the last registration"
        case .lastActiveAt: "the time of the last registration or reported click, whichever is later"
        }
    }

    /// Returns the facts that an app's texts and targets can use: all except those whose names the app
    /// declares as parameters.
    package static func known(besides declared: [ParameterDeclaration]) -> Set<CollectedFact> {
        Set(allCases).subtracting(declared.compactMap { CollectedFact(rawValue: $0.name) })
    }
}

/// The facts that were collected about one subscriber.
package struct CollectedFacts: Equatable, Sendable {
    package var userKey: String
    package var device: DeviceFacts
    package var created: WallTime
    package var registered: WallTime
    package var lastActive: WallTime

    package init(
        userKey: String, device: DeviceFacts, created: WallTime, registered: WallTime, lastActive: WallTime
    ) {
        self.userKey = userKey
        self.device = device
        self.created = created
        self.registered = registered
        self.lastActive = lastActive
    }

    /// Returns the fact as a text; empty if the device did not report it.
    package func text(of fact: CollectedFact) -> String {
        switch fact {
        case .userKey: userKey
        case .osLanguage: device.language
        case .osName: device.osName
        case .osVersion: device.osVersion
        case .deviceName: device.name
        case .deviceModel: device.model
        case .deviceBrand: device.brand
        case .deviceManufacturer: device.manufacturer
        case .createdAt, .registeredAt, .lastActiveAt: time(of: fact)?.utcText ?? ""
        }
    }

    /// Returns `nil` if the fact is not a time.
    package func time(of fact: CollectedFact) -> WallTime? {
        switch fact {
        case .createdAt: created
        case .registeredAt: registered
        case .lastActiveAt: lastActive
        default: nil
        }
    }
}
