package import PushModel

/// Why a content cannot become payloads of an app. Each says what to change; none repeats what the content
/// says.
package indirect enum PayloadError: Error, Equatable, CustomStringConvertible {
    /// Even the smallest payload of this content may exceed the gateway's limit.
    case tooLong(bytes: Int, limit: Int)
    /// The app declares these variables without a default and the delivery gives them no value.
    case variablesMissing([String])
    /// The platform or the SDK gives these names a meaning of its own.
    case variablesReserved([String], Platform)
    /// Names that `content.custom` and the app's variables both have.
    case customClashing([String])
    /// Members of `content.custom` that are null, which not every gateway's data can be.
    case customNull([String])
    /// Places for parameters that cannot be read or have no place there, each with its path.
    case places([String])
    /// Without what it lacks the gateway would refuse it, or the device show nothing: what to give.
    case lacking(String)
    /// What one language of the content cannot be.
    case language(LanguageTag, PayloadError)
    /// A relevance score that is no number between 0 and 1, by its path.
    case outOfRange(path: String, allowed: String)

    package var description: String {
        switch self {
        case .tooLong(let bytes, let limit):
            "payload too long: \(bytes) bytes, the gateway takes \(limit); shorten the texts or variables"
        case .variablesMissing(let names):
            "no value for \(Self.list(names)): give it in content.variables, or give the app a default for it"
        case .variablesReserved(let names, let platform):
            "reserved on \(platform.rawValue): \(Self.list(names)); give it another name"
        case .customClashing(let names):
            "both in content.custom and a variable of the app: \(Self.list(names)); give one of them another name"
        case .customNull(let names):
            "content.custom: null is nothing that Android's data can say: \(Self.list(names)); leave it out"
        case .places(let problems):
            problems.map { $0.printable() }.joined(separator: "; ")
        case .lacking(let advice): advice
        case .language(let language, let error):
            "in \(language): \(error)"
        case .outOfRange(let path, let allowed):
            "\(path) is out of range; allowed is \(allowed)"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.map { "\"\($0.printable(atMost: 64))\"" }.joined(separator: ", ")
    }
}
