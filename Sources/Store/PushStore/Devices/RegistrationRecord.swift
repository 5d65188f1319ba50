internal import PushCrypto
package import PushModel

/// A device's registration with an existing app, or its request to end the registration or to opt out.
package struct RegistrationRecord: Equatable, Sendable {
    package enum Purpose: Equatable, Sendable {
        case register
        /// Remove the device's subscription. Its opt-outs remain.
        case unregister
        /// Exclude the device's user from all deliveries: see ``OptOuts``. The user is that of the request,
        /// or that of the device's subscription if the request names none.
        case optOut
    }

    package var purpose = Purpose.register
    package var app: AppID
    package var token: String
    package var userKey: String
    /// The parameters, as a JSON object whose values are strings; `nil` if there are none.
    package var parametersJSON: String?
    /// Whether ``parametersJSON`` replaces the stored parameters. If not, the stored parameters are kept,
    /// unless the user key changes.
    package var replacesParameters: Bool
    /// Changes to individual stored parameters; an empty value removes a parameter. Used only if
    /// ``replacesParameters`` is `false`.
    package var parameterChanges: [RegistrationParameter] = []
    /// The names of parameters that the device sent but the app does not declare. These parameters are
    /// counted, but their values are not stored.
    package var undeclaredNames: [String] = []
    /// The integration key that the device sent, if its registrations are counted: see ``IntegrationKeys``.
    package var countedKey: String?
    package var device: DeviceFacts
    /// Whether the person explicitly asks to receive messages again after an opt-out.
    package var liftsOptOut = false
    package var at: WallMoment
    /// The mark that is derived from ``DeviceFacts/id`` and the app; `nil` if the device sends no id that
    /// distinguishes it from others.
    let mark: Int64?

    package init(
        app: AppID, token: String, userKey: String, parametersJSON: String?, replacesParameters: Bool,
        device: DeviceFacts, at: WallMoment
    ) {
        self.app = app
        self.token = token
        self.userKey = userKey
        self.parametersJSON = parametersJSON
        self.replacesParameters = replacesParameters
        self.device = device
        self.at = at
        mark = Self.mark(of: device.id, app)
    }

    /// Returns 64 bits of a SHA-256 digest. They are sufficient to recognise a device, so the store does not
    /// need the device's id itself.
    private static func mark(of id: String, _ app: AppID) -> Int64? {
        // A UUID of zeros is what iOS returns if tracking is not permitted.
        let digits = Set(id.utf8.filter { !"-:".utf8.contains($0) })
        guard id.utf8.count >= minIDBytes, digits.count > 1, !PlaceholderText.contains(id),
            !idsOfManyDevices.contains(id.lowercased())
        else { return nil }
        let digest = SHA256.digest(of: Array("device of app \(app): \(id)".utf8))
        return Int64(bitPattern: digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static let minIDBytes = 4
    /// A fault in Android 2.2 gave the first id to a million phones. Android 6 and later return the second
    /// one instead of the hardware address of each device.
    private static let idsOfManyDevices: Set = ["9774d56d682e549c", "02:00:00:00:00:00"]
}

/// The result of a registration.
package enum RegistrationEnd: Equatable, Sendable {
    /// The device was not known.
    case inserted
    /// The token was known. This registration replaces its stored data and ends its quarantine, if any.
    case updated
    /// The device was known with a different token. Its subscription now has the new token.
    case moved
    /// The device's subscription, if there was one, no longer exists.
    case unregistered
    /// The opt-out is recorded.
    case optedOut
    /// The app was deleted in the meantime.
    case noApp
}
