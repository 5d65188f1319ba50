/// The fields of a v1 request. Source: FCM REST reference, `projects.messages`, as generated for Google's
/// clients.
enum FCMSchema {
    static let request = FCMRecord([
        "validate_only": .flag,
        "message": .record(message),
    ])

    static let message = FCMRecord([
        "name": .text,
        "token": .text, "topic": .text, "condition": .text, "fid": .text,
        "data": .dataMap,
        "notification": .record(FCMRecord(["title": .text, "body": .text, "image": .text])),
        "android": .record(android),
        "webpush": .record(webpush),
        "apns": .record(apns),
        "fcm_options": .record(FCMRecord(["analytics_label": .text])),
    ])

    private static let android = FCMRecord([
        "collapse_key": .text,
        "priority": .choice(["NORMAL", "HIGH"]),
        "ttl": .duration(most: maxSeconds),
        "restricted_package_name": .text,
        "data": .dataMap,
        "notification": .record(androidNotification),
        "fcm_options": .record(FCMRecord(["analytics_label": .text])),
        "direct_boot_ok": .flag,
        "bandwidth_constrained_ok": .flag,
        "restricted_satellite_ok": .flag,
    ])

    /// "The maximum time to live supported is 4 weeks".
    static let maxSeconds = 2_419_200

    private static let androidNotification = FCMRecord([
        "title": .text, "body": .text, "icon": .text, "color": .color, "sound": .text, "tag": .text,
        "click_action": .text, "body_loc_key": .text, "body_loc_args": .list(.text), "title_loc_key": .text,
        "title_loc_args": .list(.text), "channel_id": .text, "ticker": .text, "sticky": .flag,
        "event_time": .timestamp, "local_only": .flag,
        "notification_priority": .choice(
            ["UNSPECIFIED", "MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map { "PRIORITY_\($0)" }),
        "default_sound": .flag, "default_vibrate_timings": .flag, "default_light_settings": .flag,
        "vibrate_timings": .list(.duration(most: nil)),
        "visibility": .choice(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notification_count": .whole,
        "light_settings": .record(lightSettings),
        "image": .text,
        "bypass_proxy_notification": .flag,
        "proxy": .choice(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    ])

    private static let lightSettings = FCMRecord([
        "color": .record(
            FCMRecord(["red": .fraction, "green": .fraction, "blue": .fraction, "alpha": .fraction])),
        "light_on_duration": .duration(most: nil),
        "light_off_duration": .duration(most: nil),
    ])

    private static let webpush = FCMRecord([
        "headers": .textMap,
        "data": .textMap,
        "notification": .object,
        "fcm_options": .record(FCMRecord(["link": .text, "analytics_label": .text])),
    ])

    private static let apns = FCMRecord([
        "headers": .textMap,
        "payload": .object,
        "fcm_options": .record(FCMRecord(["analytics_label": .text, "image": .text])),
        "live_activity_token": .text,
    ])
}

/// The form that a value of a message must have.
indirect enum FCMShape: Sendable {
    case text
    /// One of these words. Case is ignored.
    case choice([String])
    case flag
    /// A whole number, as a number or as text.
    case whole
    case fraction
    /// A number of seconds with up to nine decimals, followed by "s". `most` is the maximum; if `most` is
    /// set, negative values are not accepted.
    case duration(most: Int?)
    /// RFC 3339. Only the beginning is checked.
    case timestamp
    /// A colour in the form "#rrggbb".
    case color
    case textMap
    /// Like `textMap`, without the names that FCM reserves.
    case dataMap
    case list(FCMShape)
    /// An object that the sender defines.
    case object
    case record(FCMRecord)

    /// Returns the fault of the value; `nil` if there is none. Null always has the same meaning as an absent
    /// value.
    func fault(_ node: Int, _ document: JSONDocument) -> FCMViolation? {
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
        // A value that exceeds the limit only by decimals is also refused.
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
    static func isReserved(_ document: JSONDocument, _ key: Int) -> Bool {
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

/// The place of a fault in a message, and its description.
struct FCMViolation: Equatable, Sendable {
    /// The path of the field in Google's notation: "message.android.ttl", "message.data[0].value".
    var field: String
    var description: String

    init(_ field: String, _ description: String) {
        self.field = field
        self.description = description
    }

    /// Returns the same violation, with its field inside the named field.
    func inside(_ name: String) -> FCMViolation {
        let separator = field.isEmpty || field.hasPrefix("[") ? "" : "."
        return FCMViolation(name + separator + field, description)
    }
}

/// An object with fields of known names. Google accepts each name both in the form of protocol buffers and in
/// the form of JSON: `collapse_key` and `collapseKey`.
final class FCMRecord: Sendable {
    private let fields: [(name: String, snake: [UInt8], camel: [UInt8], shape: FCMShape)]

    init(_ fields: KeyValuePairs<String, FCMShape>) {
        self.fields = fields.map { ($0, Array($0.utf8), Array(Self.camel($0).utf8), $1) }
    }

    static func camel(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    func fault(_ node: Int, _ document: JSONDocument) -> FCMViolation? {
        for (key, value) in document.members(of: node) {
            let name = document.raw(key)
            let index = fields.indices.first {
                name.equals(fields[$0].snake) || name.equals(fields[$0].camel)
            }
            guard let index else {
                return FCMViolation("", "Unknown name \"\(document.text(key))\": Cannot find field.")
            }
            if let fault = fields[index].shape.fault(value, document) {
                return fault.inside(fields[index].name)
            }
        }
        return nil
    }
}
