/// A gateway's own settings as a JSON object that the master sends to a child.
///
/// Master and child have the same build, so a setting that the type does not declare is an error.
package protocol ConnectorSettings: Equatable, Sendable {
    /// All settings, and the values without any of them.
    static var fields: Fields<Self> { get }
}

extension ConnectorSettings {
    package var json: [UInt8] { Self.fields.bytes(of: self) }

    /// - Parameter json: The value of ``json``; empty if nothing is set.
    package init(json: [UInt8]) throws(WireError) {
        self = try Self.fields.document(json.isEmpty ? .object([]) : try JSONParser.document(json))
    }
}

extension Form<Int> {
    /// serverConf.xml has already been checked. The allowed range of a number is declared there.
    package static var count: Self { .integer(0...Int.max) }
}
