extension PayloadTemplate {
    /// What the gateway counts of a message that was rendered with these.
    /// - Parameter bytes: all that was rendered.
    package func countedBytes(of bytes: Int, token: [UInt8], secondsToLive: Int64) -> Int {
        cuts.reduce(bytes - wrappingBytes) { counted, cut in
            switch cut.slot {
            case .token:
                // Unsafe only because it is asked for each message elsewhere: the buffer is the array's own.
                unsafe counted - token.withUnsafeBytes { unsafe EscapedBytes.count(of: $0) }
            case .tokenList: counted - token.count
            case .secondsToLive: counted - DecimalDigits.count(of: secondsToLive)
            default: counted
            }
        }
    }
}
