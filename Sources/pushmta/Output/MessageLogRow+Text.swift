internal import PushModel
package import PushOperations
internal import PushWire

/// A delivery's log as files have it.
extension MessageLogRow {
    static let header =
        "messageId,userKey,registrationToken,app,state,attempts,failureType,failureReason,providerReason,providerId,"
        + "updatedAt\n"

    package static func csv(_ rows: [MessageLogRow]) -> [UInt8] {
        var csv = CSVWriter()
        for row in rows {
            csv.appendRow([
                row.messageId, row.userKey, row.registrationToken, row.app, row.state, String(row.attempts),
                row.failureType, row.failureReason, row.providerReason, row.providerId, row.updatedAt.utcText,
            ])
        }
        return csv.bytes
    }

    static func jsonLines(_ rows: [MessageLogRow]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for row in rows {
            try JSONValue(encoding: row).append(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
