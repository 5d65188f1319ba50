extension PayloadTemplate {
    /// Returns the size, as the gateway counts it, of a message that was rendered with these values.
    /// - Parameters:
    ///   - bytes: The number of rendered bytes.
    ///   - filling: The filling with which the message was rendered. It determines the language.
    package func countedBytes(
        of bytes: Int, token: [UInt8], secondsToLive: Int64, filling: [UInt8] = []
    ) -> Int {
        let template = chosen(for: filling)
        return template.cuts.reduce(bytes - template.wrappingBytes) { counted, cut in
            switch cut.slot {
            case .token:
                // Unsafe only because `count(of:)` is unsafe, which makes it fast enough for the code that
                // calls it for each message. The buffer belongs to the array.
                unsafe counted - token.withUnsafeBytes { unsafe EscapedBytes.count(of: $0) }
            case .tokenList: counted - token.count
            case .secondsToLive: counted - DecimalDigits.count(of: secondsToLive)
            default: counted
            }
        }
    }
}
