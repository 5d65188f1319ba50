internal import Crypto
package import PushModel

/// A device's registration with an app that there is.
package struct RegistrationRecord: Equatable, Sendable {
    package var app: AppID
    package var token: String
    package var userKey: String
    /// A JSON object of texts; nil if there are none.
    package var parametersJSON: String?
    /// Whether ``parametersJSON`` replaces the stored parameters. Otherwise, they stay, unless the user key changes.
    package var saysParameters: Bool
    /// Changes of single stored parameters; an empty value removes one. Read only if ``saysParameters`` is false.
    package var parameterChanges: [RegistrationParameter] = []
    /// Names of parameters that the device sent and the app does not declare, which are counted and not stored.
    package var undeclaredNames: [String] = []
    package var device: DeviceFacts
    package var at: WallMoment
    /// Stands for ``DeviceFacts/id`` and the app; nil: the device sends none that tells it from others.
    let mark: Int64?

    package init(
        app: AppID, token: String, userKey: String, parametersJSON: String?, saysParameters: Bool,
        device: DeviceFacts, at: WallMoment
    ) {
        self.app = app
        self.token = token
        self.userKey = userKey
        self.parametersJSON = parametersJSON
        self.saysParameters = saysParameters
        self.device = device
        self.at = at
        mark = Self.mark(of: device.id, app)
    }

    /// 64 bits of SHA-256: the store needs to know a device again, and nobody needs its id.
    private static func mark(of id: String, _ app: AppID) -> Int64? {
        guard id.utf8.count >= 4, !PlaceholderText.contains(id), id.lowercased() != idOfManyDevices,
            Set(id.utf8).count > 1
        else { return nil }
        let digest = SHA256.hash(data: Array("device of app \(app): \(id)".utf8))
        return Int64(bitPattern: digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// A fault of Android 2.2 gave this id to a million telephones.
    private static let idOfManyDevices = "9774d56d682e549c"
}

/// What became of a registration.
package enum RegistrationEnd: Equatable, Sendable {
    /// A device that was not known.
    case inserted
    /// A known token: what was said of it, and quarantine if it was in it, is replaced by this.
    case updated
    /// A known device with another token than before, which its subscription has now.
    case moved
    /// The app was deleted meanwhile.
    case noApp
}
