internal import PushModel
internal import PushStore
internal import PushWire

/// A row of a delivery's log as files have it.
struct MessageLogRow {
    static let columns = [
        "messageId", "userKey", "registrationToken", "app", "state", "attempts", "failureType", "failureReason",
        "providerReason", "providerId", "updatedAt",
    ]

    private let cipher: MessageIDCipher
    private let delivery: DeliveryID
    private let isTracked: Bool

    /// - Parameter isTracked: whether the delivery's messages carried ids.
    init(cipher: MessageIDCipher, delivery: DeliveryID, isTracked: Bool) {
        self.cipher = cipher
        self.delivery = delivery
        self.isTracked = isTracked
    }

    func appendCSV(_ entries: [MessageLogEntry], to bytes: inout [UInt8]) {
        var csv = CSVWriter()
        for entry in entries {
            for value in values(of: entry) { csv.append(value) }
            csv.endRow()
        }
        bytes += csv.bytes
    }

    /// As the CSV, with the attempts as a number; what is empty there is empty here.
    func appendJSONLines(_ entries: [MessageLogEntry], to bytes: inout [UInt8]) {
        for entry in entries {
            let members = zip(Self.columns, values(of: entry)).map { column, value in
                JSONMember(key: column, value: column == "attempts" ? .integer(entry.attempts) : .string(value))
            }
            JSONValue.object(members).append(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// In the order of ``columns``.
    private func values(of entry: MessageLogEntry) -> [String] {
        [
            messageID(of: entry), entry.userKey, entry.token, entry.appName, entry.state.name, String(entry.attempts),
            entry.failureType?.label ?? "", entry.failureReason?.label ?? "", entry.providerReason ?? "",
            entry.providerID ?? "", entry.updatedAt.utcText,
        ]
    }

    /// `_mId` as it was sent.
    private func messageID(of entry: MessageLogEntry) -> String {
        guard isTracked else { return "" }
        return switch entry.messageIDFormat {
        case .uuid: Self.text(of: cipher.opaqueID(of: entry.message, in: delivery))
        case .integer: String(entry.ordinal)
        }
    }

    /// A log has a million rows, so the digits are written as they are for the payloads themselves.
    private static func text(of id: OpaqueID) -> String {
        // Unsafe because the writer trusts its caller: the string's buffer has the room that it asks for.
        unsafe String(unsafeUninitializedCapacity: OpaqueID.textBytes) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            unsafe id.write(to: start)
            return OpaqueID.textBytes
        }
    }
}
