internal import ArgumentParser

/// A name that somebody gives to a service or an app: something that can stand in a line of text and be typed again.
struct ObjectName: ExpressibleByArgument {
    static let maximumBytes = 256
    let text: String

    init?(argument: String) {
        guard !argument.isEmpty, argument.utf8.count <= Self.maximumBytes, argument.first != " ", argument.last != " ",
            argument.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        text = argument
    }
}
