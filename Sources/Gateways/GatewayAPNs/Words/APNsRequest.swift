package import PushModel
package import PushWire

/// A push to APNs over HTTP/2 (Apple, "Sending notification requests to APNs"): `POST /3/device/<token>` with
/// the payload as its body.
///
/// A request consists of `:path`, the constant fields, which are the same for all messages of one delivery to
/// one app, and `apns-id`. `:path` and `apns-id` are written for each message, directly into the sender's
/// buffers.
package enum APNsRequest {
    package static let pathName = ":path"
    package static let idName = "apns-id"
    /// The size of an `apns-id`, in bytes.
    package static let idBytes = OpaqueID.textBytes
    package static let pathPrefix = "/3/device/"
    /// The number of bytes that ``writePath(of:into:)`` needs for the longest token that we store.
    package static let maximumPathBytes = 10 + APNsTokenText.maximumCharacters

    /// Reports whether a text can be a topic. Topics consist of letters, digits, dots, hyphens and
    /// underscores, like bundle ids and the suffixes that Apple appends to them. Any other text cannot be
    /// sent in a header field or is not the name of an app.
    package static func isTopic(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Returns the fields that are the same for all messages, pseudo-header fields first.
    ///
    /// - Parameters:
    ///   - authority: The host, followed by the port if it is not 443.
    ///   - bundleID: The app's bundle id. The topic consists of the bundle id and the suffix from the
    ///     heading.
    ///   - expiration: The time when the gateway gives up on an unreachable device, which is the end of the
    ///     delivery's validity.
    ///   - authorization: ``APNsProviderToken/authorization(_:)``, or `nil` if a certificate authenticates
    ///     the account.
    package static func constantFields(
        authority: String, bundleID: String, heading: APNsHeading, expiration: WallTime,
        authorization: String?
    ) -> [HeaderField] {
        var fields = [
            HeaderField(name: ":method", value: "POST"),
            HeaderField(name: ":scheme", value: "https"),
            HeaderField(name: ":authority", value: authority),
            HeaderField(name: "apns-topic", value: heading.topic(of: bundleID)),
            HeaderField(name: "apns-push-type", value: heading.pushType.rawValue),
            HeaderField(name: "apns-priority", value: String(heading.priority.rawValue)),
            HeaderField(name: "apns-expiration", value: String(expiration.secondsSince1970)),
        ]
        if let id = heading.collapseID { fields.append(HeaderField(name: "apns-collapse-id", value: id)) }
        // Apple's older page requires a literal field, and its newer page allows both forms. The operator
        // decides.
        if let authorization {
            fields.append(HeaderField(name: "authorization", value: authorization, isSecret: true))
        }
        return fields
    }

    /// Writes the path of one device.
    ///
    /// - Parameter token: Hexadecimal digits, as accepted by ``APNsTokenText``.
    /// - Returns: The number of bytes that were written; 0 if the buffer is too small.
    @inlinable
    @unsafe package static func writePath(
        of token: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let size = 10 + token.count
        guard size <= buffer.count, let start = buffer.baseAddress else { return 0 }
        // Unsafe for speed, because this runs once per message. All stores end within `size`, which was just
        // compared with the buffer. The numbers are "/3/devic" and "e/".
        unsafe start.storeBytes(of: (0x2F33_2F64_6576_6963 as UInt64).bigEndian, as: UInt64.self)
        unsafe start.storeBytes(of: (0x652F as UInt16).bigEndian, toByteOffset: 8, as: UInt16.self)
        if let source = token.baseAddress {
            unsafe (start + 10).copyMemory(from: source, byteCount: token.count)
        }
        return size
    }

    /// Writes a message's `apns-id`: its opaque id as a version 8 UUID, so that every attempt carries the
    /// same id.
    ///
    /// - Returns: ``idBytes``; 0 if the buffer is too small.
    @inlinable
    @unsafe package static func writeID(_ id: OpaqueID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard buffer.count >= OpaqueID.textBytes, let start = buffer.baseAddress else { return 0 }
        unsafe id.asUUIDv8.write(to: start)
        return OpaqueID.textBytes
    }
}
