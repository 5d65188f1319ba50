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
        case optIn
    }

    package static func read(_ body: [UInt8], platform: Platform) throws(RegistrationRefusal)
        -> DeviceRegistration
    {
        guard body.count <= maximumBytes else { throw .tooLarge(limit: maximumBytes) }
        do throws(RegistrationRefusal) { return try registration(in: try fields(of: body), platform) } catch {
            // The beginning of JSON, or of a multipart form.
            guard isJSON(body) || body.starts(with: "--".utf8) else { throw error }
            throw .form(
                why: """
                    it must be application/x-www-form-urlencoded, such as \
                    \(Field.registrationToken)=TOKEN&\(Field.mobileAppUuid)=KEY&\(Field.userKey)=USER, \
                    not JSON or multipart
                    """)
        }
    }

    /// Reads a request to end a registration or to opt out, which contains the same fields as a registration:
    /// as a form or as a JSON object. Only the token and the integration key are required.
    package static func readRequest(_ body: [UInt8], platform: Platform) throws(RegistrationRefusal)
        -> DeviceRegistration
    {
        guard body.count <= maximumBytes else { throw .tooLarge(limit: maximumBytes) }
        return try registration(in: try isJSON(body) ? jsonFields(of: body) : fields(of: body), platform)
    }

    /// Reports whether a body begins like a JSON document. No form that a device sends begins in this way.
    package static func isJSON(_ body: [UInt8]) -> Bool {
        let start = body.starts(with: ByteOrderMark.bytes) ? body.dropFirst(3) : body[...]
        let first = start.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private static func registration(
        in form: FormFields, _ platform: Platform
    ) throws(RegistrationRefusal) -> DeviceRegistration {
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
        registration.liftsOptOut = try flag(.optIn, form)
        return registration
    }

    private static func jsonFields(of body: [UInt8]) throws(RegistrationRefusal) -> FormFields {
        guard case .object(let members)? = try? JSONParser.parse(body) else {
            throw .form(why: "it begins like JSON and is not a JSON object in which each name occurs once")
        }
        var form = FormFields()
        for member in members where member.value != .null {
            // Members that no field has are ignored, as they are in a form.
            guard case .string(let text) = member.value else {
                guard Field.allCases.contains(where: { $0.rawValue == member.key }) else { continue }
                throw .form(why: "\(member.key) must be a string, not \(member.value.kind)")
            }
            do throws(FormFields.Failure) { try form.add(member.key, text) } catch {
                throw .form(why: "more than \(FormFields.maxFields) fields")
            }
        }
        return form
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

    private static func flag(_ field: Field, _ form: FormFields) throws(RegistrationRefusal) -> Bool {
        switch try text(field, form, limit: 5) {
        case "true": true
        case "false", "": false
        default: throw .form(why: "\(field) must be true or false")
        }
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
