/// A gateway's own settings as a JSON object that the master sends to a child.
///
/// The master and the child run the same build, so a setting that the type does not declare is an error.
package protocol ConnectorSettings: Equatable, Sendable {
    /// The declarations of all settings, with their default values.
    static var fields: Fields<Self> { get }
}

extension ConnectorSettings {
    package var json: [UInt8] { Self.fields.bytes(of: self) }

    /// - Parameter json: The bytes from ``json``; empty if nothing is set.
    package init(json: [UInt8]) throws(WireError) {
        self = try Self.fields.document(json.isEmpty ? .object([]) : try JSONParser.document(json))
    }
}

extension Form<Int> {
    /// A number that is not negative. Its allowed range was already checked when serverConf.xml was read.
    package static var count: Self { .integer(0...Int.max) }
}
