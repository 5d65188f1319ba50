package import PushModel
package import PushWire

/// The body of one request: messages of one delivery to one app, as Docs/CustomConnector.md specifies it.
package struct CustomBatch: Sendable {
    /// The limit of `batchMessages`.
    package static let maxMessages = 1_000
    /// A batch of so many bytes takes no further message.
    package static let fullBytes = 1 << 20
    static let version = 1

    private var bytes: [UInt8]
    /// In the order of the messages.
    package private(set) var ids: [OpaqueID] = []

    package init(_ head: Head) { bytes = head.bytes }

    package func isFull(at messages: Int) -> Bool { ids.count >= messages || bytes.count >= Self.fullBytes }

    package var body: [UInt8] { bytes + Array("]}".utf8) }

    /// - Parameters:
    ///   - token: UTF-8.
    ///   - payload: a JSON object.
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

    /// What a request says of all its messages.
    package struct Head: Sendable {
        fileprivate let bytes: [UInt8]

        /// - Parameters:
        ///   - headers: what the vendor's gateway would get beside each payload.
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
