package import PushModel

/// The reason why a device is not registered. It is printable and contains no token, user key or parameter
/// value.
package enum RegistrationRefusal: Error, Equatable, Sendable {
    /// The request has more bytes than any registration.
    case tooLarge(limit: Int)
    /// The body is not a form.
    case form(why: String)
    /// A required field is missing or empty.
    case missing(field: String)
    /// A field is given more than once, so it is unclear which one counts.
    case doubled(field: String)
    /// A field is not UTF-8 or contains a NUL, which no database keeps.
    case notText(field: String)
    case tooLong(field: String, limit: Int)
    /// The token does not have the form of the platform's tokens.
    case token(allowed: String)
    /// `additionalParams` is not in a form that the SDKs write.
    case parameters(why: String)
    /// A parameter is not of the kind that the app's operator declared.
    case parameter(name: String, wanted: String)
    /// No app of the platform has this integration key.
    case unknownKey
    /// The integration key belongs to an app on another platform. Devices of that platform register with
    /// `page`.
    case otherPlatform(page: String)
    /// Too many registrations are waiting to be written. The device should try again.
    case busy
    /// The registration could not be written. This is not the device's fault.
    case failed

    /// The code in the answer. The old SDK's codes distinguish only an unknown key from all other reasons.
    package var code: String {
        switch self {
        case .unknownKey, .otherPlatform: "UNKNOWN_UUID"
        case .busy: "BUSY"
        case .failed: "FAILED"
        case .tooLarge: "TOO_LARGE"
        case .parameter: "INVALID_PARAMETER"
        case .form, .missing, .doubled, .notText, .tooLong, .token, .parameters: "INVALID_REQUEST"
        }
    }

    /// The SDKs treat every status except 200 as a failure, and try again when the app next starts.
    package var httpStatus: Int {
        switch self {
        case .unknownKey, .otherPlatform: 404
        case .busy: 503
        case .failed: 500
        case .tooLarge: 413
        case .parameter, .form, .missing, .doubled, .notText, .tooLong, .token, .parameters: 400
        }
    }
}

/// The pages that devices use to register, to end a registration and to opt out. The SDKs know only the pages
/// for registrations.
package enum RegistrationPage {
    package static let ios = "registerIOS.jssp"
    package static let android = "registerAndroid.jssp"
    package static let iosUnregistration = "unregisterIOS.jssp"
    package static let androidUnregistration = "unregisterAndroid.jssp"
    package static let iosOptOut = "optOutIOS.jssp"
    package static let androidOptOut = "optOutAndroid.jssp"
    package static let folder = "/nms/mobile/1"

    /// Returns the path of the page; `nil` for a platform whose devices do not register.
    package static func path(for platform: Platform) -> String? {
        switch platform {
        case .ios: "\(folder)/\(ios)"
        case .android: "\(folder)/\(android)"
        default: nil
        }
    }
}

extension RegistrationRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "the request is longer than \(limit) bytes"
        case .form(let why): "the body is not a valid form: \(why)"
        case .missing(let field): "\(field) is missing or empty"
        case .doubled(let field): "\(field) is given more than once"
        case .notText(let field): "\(field) is not valid UTF-8 or contains a NUL character"
        case .tooLong(let field, let limit): "\(field) is longer than \(limit) bytes"
        case .token(let allowed): "registrationToken is not a device token of this platform: \(allowed)"
        case .parameters(let why): "additionalParams: \(why)"
        case .parameter(let name, let wanted): "parameter \(name): this app requires \(wanted)"
        case .unknownKey:
            """
            no app on this platform has this mobileAppUuid; it must be the app's integration key, which \
            'pushmta app show NAME' prints on the server
            """
        case .otherPlatform(let page):
            "the app with this mobileAppUuid is on another platform; its devices register with \(page)"
        case .busy: "too many registrations are waiting to be written; try again"
        case .failed: "the registration could not be written; try again later"
        }
    }
}
