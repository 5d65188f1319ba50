package import PushModel
internal import PushSystem

extension GatewayAnswer {
    /// The answer's section of the documentation: the path of the page on this machine, and the anchor.
    package var link: String { "\(DocumentFolder.path)/\(Self.page)#\(anchor)" }

    /// Returns the meaning and the advice in one sentence each, and a link to their full texts, without a
    /// period at the end.
    /// - Parameter reason: The text that the explanation follows. If this text contains the advice, the
    ///   advice is not repeated.
    package func explanation(of reason: String) -> String {
        let advice = reason.contains(note.shortAdvice) ? nil : note.shortAdvice
        return [note.shortMeaning, advice, "See \(link)"].compactMap(\.self).joined(separator: ". ")
    }
}
