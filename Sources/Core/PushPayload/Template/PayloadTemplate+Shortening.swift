package import PushModel

/// Cuts contents that request it (`"shorten": true`) to the gateway's limit: first the body, then the title.
/// Text that all messages share is cut when the template is compiled, according to the widest values that a
/// message can have. A personalised payload is cut when it is rendered, in the rare case that it is too
/// large.
extension PayloadTemplate {
    /// - Parameter compile: Creates the template of a content. The second argument states whether the content
    ///   was cut.
    static func fitting(
        _ content: Content, _ compile: (Content, Bool) throws(PayloadError) -> PayloadTemplate
    ) throws(PayloadError) -> PayloadTemplate {
        do throws(PayloadError) { return try compile(content, false) } catch {
            guard content.shortens, case .tooLong(let bytes, let limit) = error,
                let shorter = shortened(content, by: bytes - limit)
            else { throw error }
            return try compile(shorter, true)
        }
    }

    /// Returns the content with texts that are shorter by the given number of bytes, or `nil` if this is
    /// impossible because the texts are too short or differ from message to message.
    private static func shortened(_ content: Content, by excess: Int) -> Content? {
        var shorter = content
        var left = excess
        for path in [\Content.body, \Content.title] {
            guard left > 0, let text = content[keyPath: path], !Content.isPersonalised(text) else { continue }
            let size = EscapedBytes.of(text).count
            let cut = TextCut.prefix(of: text, atMost: max(size - left, 0))
            shorter[keyPath: path] = cut
            left -= size - EscapedBytes.of(cut).count
        }
        let isSomethingLeft = [shorter.body, shorter.title].contains { $0?.isEmpty == false }
        return left <= 0 && isSomethingLeft ? shorter : nil
    }

    /// Reports whether the texts of a message are cut and are therefore shorter than the texts of the
    /// content.
    package func isShortened(
        identity: OpaqueID, integerID: Int64, token: [UInt8], secondsToLive: Int64, parameters: [UInt8]
    ) -> Bool {
        let template = chosen(for: parameters)
        guard template.hasEdges else { return template.isShortened }
        // Unsafe only because rendering is unsafe. The buffers belong to the arrays, and nothing is written.
        return unsafe token.withUnsafeBytes { token in
            unsafe parameters.withUnsafeBytes { parameters in
                unsafe template.isOverLimit(
                    identity: identity, integerID: integerID, token: token, secondsToLive: secondsToLive,
                    parameters: parameters)
            }
        }
    }
}
