/// Notifications in the old framing for tests, which are valid unless a test changes them. They are written
/// by hand from the documentation.
struct FrameDraft: Sendable {
    var command: UInt8 = 2
    var token: [UInt8]? = FrameDraft.token(0)
    var payload: [UInt8]? = Array(#"{"aps":{"alert":"x"},"_mId":"1"}"#.utf8)
    var identifier: UInt32? = 7
    var expiration: UInt32? = 1_795_000_000
    var priority: UInt8? = 10
    /// Further items, and whether all items are in the opposite order (command 2).
    var extra: [[UInt8]] = []
    var isReversed = false

    /// Returns a token of 32 bytes that begins with `first` and contains a number.
    static func token(_ number: Int, first: UInt8 = 0xAB) -> [UInt8] {
        [first] + [UInt8](repeating: 0x11, count: 27) + big(UInt32(number))
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    static func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    static func big(_ value: UInt16) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    static func item(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] { [id] + big(UInt16(bytes.count)) + bytes }

    func with(_ change: (inout FrameDraft) -> Void) -> FrameDraft {
        var draft = self
        change(&draft)
        return draft
    }

    var bytes: [UInt8] {
        if command != 2 {
            let head = command == 1 ? Self.big(identifier ?? 0) + Self.big(expiration ?? 0) : []
            let token = token ?? [], payload = payload ?? []
            return [command] + head + Self.big(UInt16(token.count)) + token + Self.big(UInt16(payload.count))
                + payload
        }
        var items: [[UInt8]] = []
        if let token { items.append(Self.item(1, token)) }
        if let payload { items.append(Self.item(2, payload)) }
        if let identifier { items.append(Self.item(3, Self.big(identifier))) }
        if let expiration { items.append(Self.item(4, Self.big(expiration))) }
        if let priority { items.append(Self.item(5, [priority])) }
        let all = Array((isReversed ? (items + extra).reversed() : items + extra).joined())
        return [2] + Self.big(UInt32(all.count)) + all
    }
}
