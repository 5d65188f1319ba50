/// Why a device is not registered. Printable, and without token, user key or value of a parameter.
package enum RegistrationRefusal: Error, Equatable, Sendable {
    /// More bytes than any registration has.
    case tooLarge(limit: Int)
    /// The body is no form.
    case form(why: String)
    /// A field that no device can be registered without is missing or empty.
    case missing(field: String)
    /// There is no telling which one counts.
    case doubled(field: String)
    /// Bytes that are not UTF-8, or a NUL, which no database keeps.
    case notText(field: String)
    case tooLong(field: String, limit: Int)
    /// The token is none of the platform's.
    case token(allowed: String)
    /// `additionalParams` is not what the SDKs write.
    case parameters(why: String)
    /// A parameter is not what the app's operator declared it to be.
    case parameter(name: String, wanted: String)
    /// No app of the platform has this integration key.
    case unknownKey
    /// More wait to be written than is good: the device is to come again.
    case busy
    /// It could not be written, and it is not the device's fault.
    case failed

    /// What the answer calls it. Those of the old SDK tell an unknown key from all others.
    package var code: String {
        switch self {
        case .unknownKey: "UNKNOWN_UUID"
        case .busy: "BUSY"
        case .failed: "FAILED"
        case .tooLarge: "TOO_LARGE"
        case .parameter: "INVALID_PARAMETER"
        case .form, .missing, .doubled, .notText, .tooLong, .token, .parameters: "INVALID_REQUEST"
        }
    }

    /// The SDKs take anything but 200 for a failure, and try again when the app starts next.
    package var httpStatus: Int {
        switch self {
        case .unknownKey: 404
        case .busy: 503
        case .failed: 500
        case .tooLarge: 413
        case .parameter, .form, .missing, .doubled, .notText, .tooLong, .token, .parameters: 400
        }
    }
}

extension RegistrationRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "the request has more than \(limit) bytes"
        case .form(let why): "the body is no form: \(why)"
        case .missing(let field): "\(field) is missing or empty"
        case .doubled(let field): "\(field) is given more than once"
        case .notText(let field): "\(field) is not UTF-8 text, or has a NUL"
        case .tooLong(let field, let limit): "\(field) is longer than \(limit) bytes"
        case .token(let allowed): "registrationToken is no device token of this platform: \(allowed)"
        case .parameters(let why): "additionalParams: \(why)"
        case .parameter(let name, let wanted): "parameter \(name): this app wants \(wanted)"
        case .unknownKey: "no app has this mobileAppUuid on this platform"
        case .busy: "too many registrations wait to be written; try again"
        case .failed: "the registration could not be written; try again later"
        }
    }
}
