internal import FoundationEssentials
internal import PushModel
internal import Synchronization

/// An app, as stored in its row. The credential is in another table.
extension App {
    static let selection = """
        SELECT app.id, service_id, current_revision, bundle_id, message_id_format, variables, name,
            platform, integration_key, connector, environment, credential_identity, label,
            \(IntegrationKeys.formerKey), sounds, categories, parameters,
            app_icon.width, app_icon.height, length(app_icon.image)
        FROM app JOIN app_revision ON app_revision.id = current_revision
            LEFT JOIN app_icon ON app_icon.app_id = app.id
        """

    /// Reads the columns of ``selection`` by their places: a page can list a thousand apps, and finding
    /// columns by name would take half of the time.
    init(row: Row) throws {
        let revision = try AppRevision(bundleID: row[3], format: row[4], variables: row[5])
        var settings = AppSettings(
            name: try row[6],
            platform: try Self.known(row[7]),
            integrationKey: try row[8],
            connector: ConnectorName(rawValue: try row[9]),
            environment: try Self.known(row[10]),
            bundleID: revision.bundleID,
            credentialIdentity: try row[11],
            messageIDFormat: revision.messageIDFormat)
        (settings.label, settings.formerIntegrationKey) = (try row[12], try row[13])
        settings.variables = revision.variables
        settings.sounds = try Self.soundLists.list(from: row[14])
        settings.categories = try Self.categoryLists.list(from: row[15])
        settings.parameters = try Self.parameterLists.list(from: row[16])
        self.init(
            id: AppID(rawValue: try row[0]), service: ServiceID(rawValue: try row[1]),
            revision: AppRevisionID(rawValue: try row[2]), settings: settings,
            icon: try Self.icon(width: row[17], height: row[18], bytes: row[19]))
    }

    private static let soundLists = DecodedLists { (sound: StoredSound) in
        AppSound(internalName: sound.name, label: sound.label)
    }
    private static let categoryLists = DecodedLists { (category: StoredSound) in
        AppCategory(internalName: category.name, label: category.label)
    }
    private static let parameterLists = DecodedLists { (parameter: StoredParameter) in
        ParameterDeclaration(name: parameter.name, kind: try known(parameter.kind))
    }

    private static func icon(width: Int?, height: Int?, bytes: Int?) -> AppIcon.Facts? {
        guard let width, let height, let bytes else { return nil }
        return AppIcon.Facts(width: width, height: height, bytes: bytes)
    }

    /// Returns the app, unless it has been removed.
    static func find(_ id: AppID, _ db: any Session) throws -> App? {
        try db.row(sql: "\(selection) WHERE removed_at IS NULL AND app.id = ?1", arguments: [id.rawValue])
            .map { try App(row: $0) }
    }

    /// Reports whether the app exists and is not deleted.
    static func exists(_ id: AppID, _ db: any Session) throws -> Bool {
        try db.value(
            Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM app WHERE id = ?1 AND removed_at IS NULL)",
            arguments: [id.rawValue]) == true
    }

    static func known<Value: RawRepresentable<String>>(_ text: String) throws -> Value {
        guard let value = Value(rawValue: text) else { throw UnreadableValue() }
        return value
    }
}

extension AppSettings {
    /// Returns the values of the app's own row by column name, for inserts and updates. The settings that
    /// belong to the ``AppRevision`` are not included, because they are stored in another row.
    func columns() throws -> ColumnValues {
        ColumnValues([
            "name": name, "label": label, "platform": platform.rawValue, "integration_key": integrationKey,
            "connector": connector.rawValue, "environment": environment.rawValue,
            "credential_identity": credentialIdentity,
            "sounds": try StoredJSON.encode(
                sounds.map { StoredSound(name: $0.internalName, label: $0.label) }),
            "categories": try StoredJSON.encode(
                categories.map { StoredSound(name: $0.internalName, label: $0.label) }),
            "parameters": try StoredJSON.encode(
                parameters.map { StoredParameter(name: $0.name, kind: $0.kind.rawValue) }),
        ])
    }
}

/// A sound or a category.
private struct StoredSound: Codable {
    var name: String
    var label: String
}

struct StoredParameter: Codable {
    var name: String
    var kind: String
}

/// Lists of apps that were decoded from JSON, by their text. Many apps have the same lists, and decoding
/// takes several times longer than reading the rest of an app's row.
final class DecodedLists<Stored: Decodable, Element: Sendable>: Sendable {
    /// If there are more texts, all are forgotten.
    private static var maxTexts: Int { 1_000 }

    private let known = Mutex<[String: [Element]]>([:])
    private let element: @Sendable (Stored) throws -> Element

    /// - Parameter element: Returns an element of the list from its JSON.
    init(_ element: @escaping @Sendable (Stored) throws -> Element) { self.element = element }

    func list(from text: String) throws -> [Element] {
        if let list = known.withLock({ $0[text] }) { return list }
        let list = try StoredJSON.decode([Stored].self, from: text).map(element)
        known.withLock { known in
            if known.count >= Self.maxTexts { known.removeAll() }
            known[text] = list
        }
        return list
    }
}

/// A stored value that this version does not know.
struct UnreadableValue: Error {}

/// Small lists that are never searched, stored as JSON in one column.
enum StoredJSON {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// - Parameter column: The value of a delivery's `calendar` column.
    static func calendar(_ column: String?) throws -> DeliveryCalendar? {
        guard let column else { return nil }
        let calendar = try decode(DeliveryCalendar.self, from: column)
        guard calendar.isSound else { throw UnreadableValue() }
        return calendar
    }

    // A delivery to one recipient has lists of one element. Foundation's coders take longer to process such a
    // list than SQLite takes to process the row.

    static func encode(_ numbers: [Int64]) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }

    static func encode(_ texts: [String]) throws -> String {
        var bytes = [UInt8(ascii: "[")]
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return String(decoding: bytes, as: UTF8.self)
    }

    static func decode<Element: Decodable>(_ type: [Element].Type, from text: String) throws -> [Element] {
        if text == "[]" { return [] }
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    static func decode(_ type: [Int64].Type, from text: String) throws -> [Int64] {
        let digits = text.utf8.dropFirst().dropLast()
        if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]"),
            (1...18).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) })
        {
            return [digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }]
        }
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
