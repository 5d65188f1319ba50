package import PushModel
package import PushWire

/// The body of one request: messages of one delivery to one app, in the format of
/// Docs/Send/CustomConnector.md.
package struct CustomBatch: Sendable {
    /// The maximum value of `batchMessages`.
    package static let maxMessages = 1_000
    /// The size, in bytes, at which a batch accepts no further message.
    package static let fullBytes = 1 << 20
    static let version = 1

    private var bytes: [UInt8]
    /// The ids, in the order of the messages.
    package private(set) var ids: [OpaqueID] = []

    package init(_ head: Head) { bytes = head.bytes }

    package func isFull(at messages: Int) -> Bool { ids.count >= messages || bytes.count >= Self.fullBytes }

    package var body: [UInt8] { bytes + Array("]}".utf8) }

    /// - Parameters:
    ///   - token: The token in UTF-8.
    ///   - payload: A JSON object.
    package mutating func append(
        _ id: OpaqueID, token: some Sequence<UInt8>, payload: some Collection<UInt8>
    ) {
        if !ids.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: #"{"id":""#.utf8)
        bytes.append(contentsOf: id.text.utf8)
        bytes.append(contentsOf: #"","token":""#.utf8)
        for byte in token { JSONText.appendEscaped(byte, to: &bytes) }
        bytes.append(contentsOf: #"","payload":"#.utf8)
        bytes.append(contentsOf: payload)
        bytes.append(UInt8(ascii: "}"))
        ids.append(id)
    }

    /// The part of a request that applies to all its messages.
    package struct Head: Sendable {
        fileprivate let bytes: [UInt8]

        /// - Parameters:
        ///   - headers: The header fields that the vendor's gateway would receive with each payload.
        package init(_ job: JobOrder, in environment: PushEnvironment, headers: [String: String]) {
            var writer = DocumentWriter()
            writer.object { root in
                root.integer("version", CustomBatch.version)
                root.string("platform", job.platform.rawValue)
                root.string("environment", environment.rawValue)
                root.string("bundleId", job.bundleID)
                root.string("deliveryId", String(job.delivery.rawValue))
                root.string("keepUntil", job.isNowOrNever ? nil : job.expiresAt.utcText)
                if !headers.isEmpty {
                    root.object("headers") { object in
                        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
                            object.string(name, value)
                        }
                    }
                }
            }
            bytes = writer.bytes.dropLast() + Array(#","messages":["#.utf8)
        }
    }
}
