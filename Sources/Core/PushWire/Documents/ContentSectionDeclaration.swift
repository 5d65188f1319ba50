package import PushModel

/// How documents have one gateway's section of a content, declared once: reading, writing and the API's description
/// follow from it.
package struct ContentSectionDeclaration: Sendable {
    let name: String
    let field: Field<Content>
    /// Whose reserved names are taken in a content with the section.
    let platform: Platform
    /// Whether they are taken in a content without it, too.
    let isAlwaysMeant: Bool
    /// What is the same in all languages, with its verb.
    let sameInAllLanguages: String
    let isSame: @Sendable (Content, Content) -> Bool
    /// A content that has the section without members.
    let adding: @Sendable (Content) -> Content

    /// - Parameters:
    ///   - path: the gateway's property of a content.
    ///   - fields: the members of the section.
    ///   - about: what the section is, for the API's description.
    ///   - platform: whose devices get it: in a content with it, variables do not have names that are reserved there.
    ///   - isAlwaysMeant: whether these names are refused in contents without the section, too.
    ///   - words: which members are the same in all languages, with the verb: `type is`.
    ///   - isSame: whether they are.
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
