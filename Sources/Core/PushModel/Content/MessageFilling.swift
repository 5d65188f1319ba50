/// What a grant brings for a message's payload to be filled with: the subscriber's parameters, as the store
/// spells them; behind them what the delivery's target says of this recipient, which has the last word; and where
/// the content asks for it, the language of the device before them, between two line feeds. Parameters are an
/// object of JSON, which the store never begins with a line feed, and what follows is another one.
package enum MessageFilling {
    package static let mark = UInt8(ascii: "\n")

    /// - Parameters:
    ///   - language: as the device said it; empty: it said none.
    ///   - parameters: a JSON object of texts, or nothing.
    ///   - variables: of the recipient, likewise.
    package static func bytes(language: String, parameters: [UInt8], variables: [UInt8] = []) -> [UInt8] {
        [mark] + language.utf8.map { $0 == mark ? UInt8(ascii: " ") : $0 } + [mark] + parameters + variables
    }

    /// Whether a content, as the store keeps it, or a variable's default needs to know devices' languages. It may
    /// say so of one that needs not: that costs a look at each device and changes nothing.
    package static func needsLanguage(_ text: some Collection<UInt8>) -> Bool {
        if text.firstRange(of: "\"languages\":".utf8) != nil { return true }
        guard text.firstRange(of: Content.personalisationMark.utf8) != nil else { return false }
        return text.firstRange(of: ":number".utf8) != nil || text.firstRange(of: ":date".utf8) != nil
    }
}
