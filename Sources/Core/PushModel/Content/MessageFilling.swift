/// The data in a grant that fills a message's payload. It consists of the subscriber's parameters, as the
/// store writes them, followed by the variables that the delivery's target contains for this recipient, which
/// take precedence. If the content depends on the language, the device's language precedes the parameters,
/// between two line feeds. The parameters are a JSON object, which the store never begins with a line feed,
/// and the variables are a second JSON object.
package enum MessageFilling {
    package static let mark = UInt8(ascii: "\n")

    /// - Parameters:
    ///   - language: The language as the device reported it; empty if it reported none.
    ///   - parameters: A JSON object of texts, or nothing.
    ///   - variables: The variables of the recipient, in the same form.
    package static func bytes(language: String, parameters: [UInt8], variables: [UInt8] = []) -> [UInt8] {
        [mark] + language.utf8.map { $0 == mark ? UInt8(ascii: " ") : $0 } + [mark] + parameters + variables
    }

    /// Reports whether a text needs the languages of devices. The text is a content, as the store keeps it,
    /// or the default of a variable. The result may be `true` for a text that does not need languages. In
    /// that case, each device's language is read but has no effect.
    package static func needsLanguage(_ text: some Collection<UInt8>) -> Bool {
        if text.firstRange(of: "\"languages\":".utf8) != nil { return true }
        guard text.firstRange(of: Content.personalisationMark.utf8) != nil else { return false }
        return text.firstRange(of: ":number".utf8) != nil || text.firstRange(of: ":date".utf8) != nil
    }
}
