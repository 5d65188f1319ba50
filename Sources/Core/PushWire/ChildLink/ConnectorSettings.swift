/// A gateway's own settings on their way from the master to a child, as a JSON object.
///
/// Master and child are of the same build, so a setting that the type does not declare is an error.
package protocol ConnectorSettings: Equatable, Sendable {
    /// Every setting, and the values without any.
    static var fields: Fields<Self> { get }
}

extension ConnectorSettings {
    package var json: [UInt8] { Self.fields.bytes(of: self) }

    /// - Parameter json: what ``json`` gave; empty: nothing is set.
    package init(json: [UInt8]) throws(WireError) {
        self = try Self.fields.document(json.isEmpty ? .object([]) : try JSONParser.document(json))
    }
}

extension Form<Int> {
    /// serverConf.xml has been checked: what else a number may be is declared there.
    package static var count: Self { .integer(0...Int.max) }
}
