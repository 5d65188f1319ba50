/// A message as `delivery log --format jsonl` tells it. What is empty there is empty here.
package struct MessageRow: Decodable, Equatable, Sendable {
    package var messageId: String
    package var userKey: String
    package var registrationToken: String
    package var app: String
    package var state: String
    package var attempts: Int
    package var failureType: String
    package var failureReason: String
    package var providerReason: String
    package var providerId: String
    package var updatedAt: String

    static func read(jsonLines file: String) throws -> [MessageRow] {
        try Folder.read(file).split(separator: UInt8(ascii: "\n")).map {
            try MessageRow(json: $0, from: "a row of the delivery's log")
        }
    }
}
