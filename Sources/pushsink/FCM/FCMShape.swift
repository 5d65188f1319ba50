/// What a value of a message must look like.
package indirect enum FCMShape: Sendable {
    case text
    /// One of these words, in capitals or not.
    case choice([String])
    case flag
    /// A whole number, as number or text.
    case whole
    case fraction
    /// Seconds with up to nine decimals and "s"; `most`: at most so many, and none negative.
    case duration(most: Int?)
    /// RFC 3339; only its beginning is looked at.
    case timestamp
    /// "#rrggbb".
    case color
    case textMap
    /// As `textMap`, without the names that FCM reserves.
    case dataMap
    case list(FCMShape)
    /// An object of the sender's own making.
    case object
    case record(FCMRecord)

    /// What is wrong with the value; nil: nothing. Null stands for absence everywhere.
    package func fault(_ node: Int, _ document: JSONDocument) -> FCMViolation? {
        let kind = document.kind(node)
        guard kind != .null else { return nil }
        switch self {
        case .record(let record):
            return kind == .object ? record.fault(node, document) : wrong(document, node)
        case .textMap, .dataMap: return kind == .object ? faultOfMap(node, document) : wrong(document, node)
        case .list(let shape):
            guard kind == .array else { return wrong(document, node) }
            for (index, element) in document.elements(of: node).enumerated() {
                if let fault = shape.fault(element, document) { return fault.inside("[\(index)]") }
            }
            return nil
        default: return isGood(node, kind, document) ? nil : wrong(document, node)
        }
    }

    private func isGood(_ node: Int, _ kind: JSONDocument.Kind, _ document: JSONDocument) -> Bool {
        switch self {
        case .text: kind == .text
        case .flag: kind == .yes || kind == .no
        case .whole: (kind == .number || kind == .text) && Int(document.text(node)) != nil
        case .fraction: kind == .number
        case .object: kind == .object
        case .choice(let words): kind == .text && words.contains(document.text(node).uppercased())
        case .duration(let most): kind == .text && Self.isDuration(document.text(node), most)
        case .timestamp:
            kind == .text && document.text(node).prefixMatch(of: /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/) != nil
        case .color:
            kind == .text && document.raw(node).count == 7 && document.raw(node)[0] == UInt8(ascii: "#")
                && document.raw(node).dropFirst().allSatisfy { Hex.value(of: $0) != nil }
        case .textMap, .dataMap, .list, .record: false
        }
    }

    private static func isDuration(_ text: String, _ most: Int?) -> Bool {
        guard text.last == "s" else { return false }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let seconds = Int(parts[0]),
            parts[0].utf8.first != UInt8(ascii: "+"),
            parts.count == 1
                || (1...9).contains(parts[1].utf8.count) && parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return false }
        guard let most else { return true }
        // Just over the limit is over it.
        let hasMore = parts.count == 2 && parts[1].contains { $0 != "0" }
        return parts[0].utf8.first != UInt8(ascii: "-") && (seconds < most || seconds == most && !hasMore)
    }

    private func faultOfMap(_ node: Int, _ document: JSONDocument) -> FCMViolation? {
        for (index, member) in document.members(of: node).enumerated() {
            guard document.kind(member.value) == .text else {
                return FCMViolation("[\(index)].value", "Invalid value (TYPE_STRING)")
            }
            if case .dataMap = self, Self.isReserved(document, member.key) {
                return FCMViolation("", "Invalid data payload key: \(document.text(member.key))")
            }
        }
        return nil
    }

    /// "The key should not be a reserved word ("from", "message_type", or any word starting with "google" or
    /// "gcm")".
    package static func isReserved(_ document: JSONDocument, _ key: Int) -> Bool {
        guard document.isPlain(key) else {
            let text = document.text(key)
            return text == "from" || text == "message_type" || text.hasPrefix("google")
                || text.hasPrefix("gcm")
        }
        let key = document.raw(key)
        return key.equals("from") || key.equals("message_type") || key.starts(with: "google")
            || key.starts(with: "gcm")
    }

    private func wrong(_ document: JSONDocument, _ node: Int) -> FCMViolation {
        FCMViolation("", "Invalid value (\(typeName))")
    }

    private var typeName: String {
        switch self {
        case .text: "TYPE_STRING"
        case .flag: "TYPE_BOOL"
        case .whole: "TYPE_INT32"
        case .fraction: "TYPE_FLOAT"
        case .choice: "TYPE_ENUM"
        case .duration: "Duration"
        case .timestamp: "Timestamp"
        case .color: "#RRGGBB"
        case .textMap, .dataMap, .object, .record, .list: "TYPE_MESSAGE"
        }
    }
}
