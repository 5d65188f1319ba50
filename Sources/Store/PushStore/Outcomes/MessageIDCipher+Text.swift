package import PushModel

extension MessageIDCipher {
    /// `_mId` as the device gets it.
    /// - Parameter ordinal: of the message within its delivery.
    package func deviceID(
        of message: MessageID, _ ordinal: Int64, _ format: MessageIDFormat, in delivery: DeliveryID
    ) -> String {
        switch format {
        case .uuid: Self.text(of: opaqueID(of: message, in: delivery))
        case .integer: String(integers(of: delivery).id(of: ordinal))
        case .number: String(ordinal)
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
