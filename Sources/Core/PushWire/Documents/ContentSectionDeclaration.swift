package import PushModel

/// The declaration of one gateway's section of a content. Reading, writing and the API's description are
/// derived from it.
package struct ContentSectionDeclaration: Sendable {
    let name: String
    let field: Field<Content>
    /// The platform of the section. A content with the section must not use names that the platform reserves.
    let platform: Platform
    /// Whether these names are also refused in a content without the section.
    let isAlwaysMeant: Bool
    /// The members that must be the same in all languages, followed by a verb: `type is`.
    let sameInAllLanguages: String
    let isSame: @Sendable (Content, Content) -> Bool
    /// Returns the content with an empty section added.
    let adding: @Sendable (Content) -> Content

    /// - Parameters:
    ///   - path: The content's property for the gateway.
    ///   - fields: The members of the section.
    ///   - about: A description of the section, for the API's description.
    ///   - platform: The platform whose devices get the section. If a content has the section, its variables
    ///     must not have names that the platform reserves.
    ///   - isAlwaysMeant: Whether these names are also refused in contents without the section.
    ///   - words: The members that must be the same in all languages, followed by a verb: `type is`.
    ///   - isSame: Reports whether these members are the same in a language and in the content.
    package init<Section: ContentSection>(
        _ path: any WritableKeyPath<Content, Section> & Sendable, _ fields: Fields<Section>, _ about: String,
        platform: Platform, isAlwaysMeant: Bool = false, sameInAllLanguages words: String = "",
        _ isSame: @escaping @Sendable (Section, Section) -> Bool = { _, _ in true }
    ) {
        name = Section.name
        field = Field(Section.name, path, .object(fields), about)
        (self.platform, self.isAlwaysMeant, sameInAllLanguages) = (platform, isAlwaysMeant, words)
        self.isSame = { isSame($0[keyPath: path], $1[keyPath: path]) }
        adding = { content in
            var content = content
            content[keyPath: path] = Section()
            return content
        }
    }
}
