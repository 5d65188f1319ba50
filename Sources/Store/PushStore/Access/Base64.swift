internal import FoundationEssentials

/// Base64 without padding (RFC 4648).
enum Base64 {
    /// - Parameter lastLetters: The last two letters of the alphabet.
    static func text(of bytes: [UInt8], lastLetters: String = "+/") -> String {
        let text = Data(bytes).base64EncodedString().filter { $0 != "=" }
        guard let plus = lastLetters.first, let slash = lastLetters.last, plus != "+" else { return text }
        return String(text.map { $0 == "+" ? plus : $0 == "/" ? slash : $0 })
    }

    /// - Returns: `nil` if the text is not base64 without padding.
    static func bytes(of text: Substring) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map(Array.init)
    }
}
