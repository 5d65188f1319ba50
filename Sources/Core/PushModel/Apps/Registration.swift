/// A device's registration, read and checked, before its app has been looked up.
package struct DeviceRegistration: Equatable, Sendable {
    /// The token as the gateway expects it: lower-case hex for APNs.
    package var token: String
    /// Identifies the app, together with the platform.
    package var integrationKey: String
    /// The app's own name for its user. It may be empty.
    package var userKey: String
    package var device: DeviceFacts
    /// The parameters in order of their names, each name once. `nil` if the device does not send parameters;
    /// its earlier parameters then stay valid. An empty array means that the device has no parameters.
    package var parameters: [RegistrationParameter]?
    /// Whether the person explicitly asks to receive messages again after an opt-out.
    package var liftsOptOut = false

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

/// A device's description of itself. Values are printable; a value is empty if the device does not send it.
package struct DeviceFacts: Equatable, Sendable {
    /// The id that distinguishes the device from all others. The SDK for Android sends it; the SDK for iOS
    /// does not.
    package var id = ""
    package var name = ""
    package var model = ""
    package var brand = ""
    package var manufacturer = ""
    package var osName = ""
    /// Name and version as the SDKs write them, such as `iOS 16.4` or `Android 13`.
    package var osVersion = ""
    /// The language, for example `en-US`.
    package var language = ""

    package init() {}
}

/// The declaration of a subscription parameter by the app's operator.
package struct ParameterDeclaration: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable { case text, number, date, boolean }
    package var name: String
    package var kind: Kind

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
