package import PushModel

/// The templates of a content's languages, each compiled separately.
@usableFromInline
struct LanguageTemplates: Sendable {
    let languages: [LanguageTag]
    let templates: [PayloadTemplate]
    /// Maps languages to places among the templates.
    let table: LanguageTable
}

extension PayloadTemplate {
    /// Returns the template of a content and of its languages. The payloads of all of them must fit within
    /// the limit.
    /// - Throws: The fault. For a fault in a language, ``PayloadError/language(_:_:)`` states which one.
    package static func byLanguage(
        _ content: Content, _ compile: (Content, Bool) throws(PayloadError) -> PayloadTemplate
    ) throws(PayloadError) -> PayloadTemplate {
        let template = try fitting(content, compile)
        guard !content.languages.isEmpty else { return template }
        var templates: [PayloadTemplate] = []
        for version in content.languages {
            do throws(PayloadError) { templates.append(try fitting(version.content, compile)) } catch {
                throw .language(version.language, error)
            }
        }
        let languages = content.languages.map(\.language)
        return PayloadTemplate(
            template,
            LanguageTemplates(
                languages: languages, templates: templates,
                table: LanguageTable(languages.enumerated().map { ($0.element, $0.offset) })))
    }

    /// The languages that have their own content, in the content's order.
    package var ownLanguages: [LanguageTag] { languages?.languages ?? [] }

    /// Returns the language for which a message is rendered; `nil` if the message is rendered with the
    /// content for all other languages.
    /// - Parameter filling: The filling as a grant contains it.
    package func language(of filling: [UInt8]) -> LanguageTag? {
        place(of: filling).flatMap { languages?.languages[$0] }
    }

    /// Returns the template that a message is rendered with, which depends on the device's language.
    func chosen(for filling: [UInt8]) -> PayloadTemplate {
        place(of: filling).flatMap { languages?.templates[$0] } ?? self
    }

    private func place(of filling: [UInt8]) -> Int? {
        guard let languages else { return nil }
        // Unsafe only because `place(of:)` is unsafe, which makes it fast enough for the code that calls it
        // for each message. The buffer belongs to the array.
        return unsafe filling.withUnsafeBytes { unsafe languages.table.place(of: SplitFilling($0).language) }
    }

    /// Returns the name of the parameter in ``Rendering/missing(parameter:)``.
    package func parameterName(_ code: Int) -> String {
        let (language, own) = code.quotientAndRemainder(dividingBy: Self.languageStride)
        let template = language > 0 ? languages?.templates[language - 1] : self
        return template?.personal?.plan.missing(own) ?? ""
    }
}
