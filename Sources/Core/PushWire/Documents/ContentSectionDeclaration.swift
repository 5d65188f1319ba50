package import PushModel

/// The declaration of one gateway's section of a content. Reading, writing and the API's description are
/// derived from it.
package struct ContentSectionDeclaration: Sendable {
    let name: String
    let field: Field<Content>
    /// The platform of the section. A content that has the section must not use names that this platform
    /// reserves.
    let platform: Platform
    /// Whether names that the platform reserves are also refused in a content without the section.
    let isAlwaysMeant: Bool
    /// The subject and verb that precede "the same in all languages" in the fault, such as `type is`.
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
    ///   - isAlwaysMeant: Whether such names are also refused in contents without the section.
    ///   - words: The subject and verb that precede "the same in all languages" in the fault, such as
    ///     `type is`.
    ///   - isSame: Reports whether the members that `words` names are the same in a language and in the
    ///     content.
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
