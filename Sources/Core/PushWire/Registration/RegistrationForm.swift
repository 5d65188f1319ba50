package import PushModel

/// Reads the form that both generations of the SDK use to register a device (facts: SDK, registration).
///
/// A missing field counts as empty, unless it is the token or the integration key, which are required.
/// Unknown fields are ignored, unless the name is a misspelling of a known one: a device with a `userkey`
/// would lose its user. `additionalParams` is XML: see ``AdditionalParameters``.
///
/// **Promises.** Any bytes result in a registration or one ``RegistrationRefusal``. Time and memory grow with
/// the number of bytes, and at most ``maximumBytes`` are read. The token, the user key and the parameters are
/// valid UTF-8 without NUL, and the latter two are exactly as sent. The device's description of itself is
/// printable and cut to ``factCharacters``.
package enum RegistrationForm {
    /// The maximum size of a form. It is enough for tokens, keys and parameters of maximum size, even if
    /// percent-encoding triples their size.
    package static let maximumBytes = 65_536
    package static let integrationKeyBytes = 512
    package static let factCharacters = 100
    /// Device ids have 16 to 36 characters.
    package static let deviceIDBytes = 200

    private enum Field: String, CaseIterable {
        case registrationToken, mobileAppUuid, userKey, additionalParams
        case deviceImei, deviceName, deviceModel, deviceBrand, deviceManufacturer
        case osName, osVersion, osLanguage
    }

    package static func read(_ body: [UInt8], platform: Platform) throws(RegistrationRefusal)
        -> DeviceRegistration
    {
        guard body.count <= maximumBytes else { throw .tooLarge(limit: maximumBytes) }
        do throws(RegistrationRefusal) { return try registration(in: body, platform) } catch {
            // The beginning of JSON, or of a multipart form.
            guard body.first == UInt8(ascii: "{") || body.starts(with: "--".utf8) else { throw error }
            throw .form(why: "it must be application/x-www-form-urlencoded, not JSON or multipart")
        }
    }

    private static func registration(
        in body: [UInt8], _ platform: Platform
    ) throws(RegistrationRefusal) -> DeviceRegistration {
        let form = try fields(of: body)
        try checkNames(form)
        let token = try required(.registrationToken, form, limit: SubscriberLimits.tokenBytes)
        let key = try required(.mobileAppUuid, form, limit: integrationKeyBytes)
        var registration = DeviceRegistration(
            token: try checked(token, platform), integrationKey: key)
        registration.userKey = try text(.userKey, form, limit: SubscriberLimits.userKeyBytes)
        registration.device = try device(form)
        if let parameters = try single(.additionalParams, form), !parameters.isEmpty {
            registration.parameters = try AdditionalParameters.read(parameters)
        }
        return registration
    }

    private static func fields(of body: [UInt8]) throws(RegistrationRefusal) -> FormFields {
        do throws(FormFields.Failure) { return try FormFields(body) } catch {
            switch error {
            case .tooMany: throw .form(why: "more than \(FormFields.maxFields) fields")
            case .percent(let number):
                throw .form(why: "field \(number) has a % that is not followed by two hex digits")
            }
        }
    }

    private static func checkNames(_ form: FormFields) throws(RegistrationRefusal) {
        for field in Field.allCases {
            guard let number = form.misspelling(of: field.rawValue) else { continue }
            throw .form(why: "field \(number) must be named \(field.rawValue), with these capital letters")
        }
        // Android's SDK uses this name for the root element.
        guard form.values(of: "additionalParameters").isEmpty else {
            throw .form(why: "the field additionalParameters must be named additionalParams")
        }
    }

    private static func checked(_ token: String, _ platform: Platform) throws(RegistrationRefusal) -> String {
        guard let canonical = DeviceToken.canonical(token, for: platform) else {
            throw .token(allowed: DeviceToken.allowed(for: platform))
        }
        return canonical
    }

    private static func device(_ form: FormFields) throws(RegistrationRefusal) -> DeviceFacts {
        var device = DeviceFacts()
        device.id = try text(.deviceImei, form, limit: deviceIDBytes)
        device.name = try fact(.deviceName, form)
        device.model = try fact(.deviceModel, form)
        device.brand = try fact(.deviceBrand, form)
        device.manufacturer = try fact(.deviceManufacturer, form)
        device.osName = try fact(.osName, form)
        device.osVersion = try fact(.osVersion, form)
        device.language = try fact(.osLanguage, form)
        return device
    }

    /// Returns a fact in a form that people can read, whatever bytes the field contains. No device is refused
    /// because of its name.
    private static func fact(_ field: Field, _ form: FormFields) throws(RegistrationRefusal) -> String {
        String(printable: try single(field, form) ?? [], atMost: factCharacters)
    }

    private static func required(
        _ field: Field, _ form: FormFields, limit: Int
    ) throws(RegistrationRefusal) -> String {
        let text = try text(field, form, limit: limit)
        guard !text.isEmpty else { throw .missing(field: field.rawValue) }
        return text
    }

    private static func text(
        _ field: Field, _ form: FormFields, limit: Int
    ) throws(RegistrationRefusal) -> String {
        guard let bytes = try single(field, form) else { return "" }
        guard bytes.count <= limit else { throw .tooLong(field: field.rawValue, limit: limit) }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .notText(field: field.rawValue)
        }
        return text
    }

    private static func single(_ field: Field, _ form: FormFields) throws(RegistrationRefusal)
        -> [UInt8]?
    {
        let values = form.values(of: field.rawValue)
        guard values.count <= 1 else { throw .doubled(field: field.rawValue) }
        return values.first
    }
}
