extension PayloadTemplate {
    /// What the gateway counts of a message that was rendered with these.
    /// - Parameters:
    ///   - bytes: all that was rendered.
    ///   - filling: what with, which says by which language.
    package func countedBytes(
        of bytes: Int, token: [UInt8], secondsToLive: Int64, filling: [UInt8] = []
    ) -> Int {
        let template = chosen(for: filling)
        return template.cuts.reduce(bytes - template.wrappingBytes) { counted, cut in
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
