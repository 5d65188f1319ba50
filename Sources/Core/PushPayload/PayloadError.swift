package import PushModel

/// The reason why a content cannot be converted to payloads for an app. Each description states what to
/// change; none repeats the content.
package indirect enum PayloadError: Error, Equatable, CustomStringConvertible {
    /// Even the smallest payload of this content may exceed the gateway's limit.
    case tooLong(bytes: Int, limit: Int)
    /// The app declares these variables without a default and not as optional, and the delivery does not set
    /// them.
    case variablesMissing([String])
    /// The platform or the SDK reserves these names for its own use.
    case variablesReserved([String], Platform)
    /// Names that occur both in `content.custom` and in the variables that the app receives.
    case customClashing([String])
    /// Members of `content.custom` that are null, which the data of some gateways cannot represent.
    case customNull([String])
    /// Placeholders that cannot be read, that are in texts in which placeholders are not allowed, or that use
    /// too many parameters. A problem in one text begins with the path of the text.
    case places([String])
    /// The content is incomplete, so the gateway would refuse it or the device would show nothing. The text
    /// states what to add.
    case lacking(String)
    /// A fault in one language of the content.
    case language(LanguageTag, PayloadError)
    /// The value at this path is out of range, such as a relevance score that is not between 0 and 1.
    case outOfRange(path: String, allowed: String)

    package var description: String {
        switch self {
        case .tooLong(let bytes, let limit):
            """
            payload too long: \(bytes) bytes, the gateway's limit is \(limit); shorten the texts or \
            variables
            """
        case .variablesMissing(let names):
            """
            no value for \(Self.list(names)): set it in content.variables, give the app a default for it, \
            or declare it as optional
            """
        case .variablesReserved(let names, let platform):
            "reserved on \(platform.rawValue): \(Self.list(names)); choose another name"
        case .customClashing(let names):
            "in content.custom and in the app's variables: \(Self.list(names)); rename one of them"
        case .customNull(let names):
            "content.custom: Android's data cannot represent null: \(Self.list(names)); remove it"
        case .places(let problems):
            problems.map { $0.printable() }.joined(separator: "; ")
        case .lacking(let advice): advice
        case .language(let language, let error):
            "in \(language): \(error)"
        case .outOfRange(let path, let allowed):
            "\(path) is out of range; it must be \(allowed)"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.map { "\"\($0.printable(atMost: 64))\"" }.joined(separator: ", ")
    }
}
