package import PushModel

extension MessageIDCipher {
    /// Returns the `_mId` that the device receives.
    /// - Parameter ordinal: The number of the message within its delivery.
    package func deviceID(
        of message: MessageID, _ ordinal: Int64, _ format: MessageIDFormat, in delivery: DeliveryID
    ) -> String {
        switch format {
        case .uuid: Self.text(of: opaqueID(of: message, in: delivery))
        case .integer: String(integers(of: delivery).id(of: ordinal))
        case .number: String(ordinal)
        }
    }

    /// Writes the digits with the fast writer that payloads use, because a log can have a million rows.
    private static func text(of id: OpaqueID) -> String {
        // Unsafe: the writer does not check the size of its buffer. The string's buffer has the requested
        // capacity.
        unsafe String(unsafeUninitializedCapacity: OpaqueID.textBytes) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            unsafe id.write(to: start)
            return OpaqueID.textBytes
        }
    }
}
