/// What a device registers with, read and checked, before anybody has looked for its app.
package struct DeviceRegistration: Equatable, Sendable {
    /// As the gateway wants it: lower-case hex for APNs.
    package var token: String
    /// What names the app, together with the platform.
    package var integrationKey: String
    /// May be empty.
    package var userKey: String
    package var device: DeviceFacts
    /// In order of their names, which are there once each; nil: the device says nothing of them, and what it
    /// said before holds. None is something that it says.
    package var parameters: [RegistrationParameter]?

    package init(
        token: String, integrationKey: String, userKey: String = "", device: DeviceFacts = DeviceFacts(),
        parameters: [RegistrationParameter]? = nil
    ) {
        self.token = token
        self.integrationKey = integrationKey
        self.userKey = userKey
        self.device = device
        self.parameters = parameters
    }
}

package struct RegistrationParameter: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// What a device says of itself. Printable; empty: it says nothing.
package struct DeviceFacts: Equatable, Sendable {
    /// What tells the device from all others, which Android's SDK sends and Apple's does not.
    package var id = ""
    package var name = ""
    package var model = ""
    package var brand = ""
    package var manufacturer = ""
    package var osName = ""
    /// `iOS 16.4`, `Android 13`: name and version, as the SDKs write it.
    package var osVersion = ""
    /// `en-US`.
    package var language = ""

    package init() {}
}

/// What an app's operator wants a subscription parameter to be.
package struct ParameterDeclaration: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable { case text, number, date, boolean }
    package var name: String
    package var kind: Kind

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
