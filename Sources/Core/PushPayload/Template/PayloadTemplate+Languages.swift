package import PushModel

/// The templates of a content's languages, each compiled by itself.
@usableFromInline
struct LanguageTemplates: Sendable {
    let languages: [LanguageTag]
    let templates: [PayloadTemplate]
    /// Places among the templates.
    let table: LanguageTable
}

extension PayloadTemplate {
    /// The template of a content and of its languages: all have to fit.
    /// - Throws: what is wrong with one, and with which: ``PayloadError/language(_:_:)``.
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

    /// Those that get something of their own, in the content's order.
    package var ownLanguages: [LanguageTag] { languages?.languages ?? [] }

    /// Which of its languages a message is rendered in; nil: in none, it gets what all others get.
    /// - Parameter filling: as a grant brings it.
    package func language(of filling: [UInt8]) -> LanguageTag? {
        place(of: filling).flatMap { languages?.languages[$0] }
    }

    /// What a message is rendered by.
    func chosen(for filling: [UInt8]) -> PayloadTemplate {
        place(of: filling).flatMap { languages?.templates[$0] } ?? self
    }

    private func place(of filling: [UInt8]) -> Int? {
        guard let languages else { return nil }
        // Unsafe only because it is asked for each message elsewhere: the buffer is the array's own.
        return unsafe filling.withUnsafeBytes { unsafe languages.table.place(of: SplitFilling($0).language) }
    }

    /// What ``Rendering/missing(parameter:)`` is about.
    package func parameterName(_ code: Int) -> String {
        let (language, own) = code.quotientAndRemainder(dividingBy: Self.languageStride)
        let template = language > 0 ? languages?.templates[language - 1] : self
        return template?.personal?.plan.missing(own) ?? ""
    }
}
