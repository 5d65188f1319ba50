/// What a screen answers.
package struct Reply: Sendable {
    enum Content: Sendable {
        case page(Page, status: Int)
        case fragment(HTML, isFinal: Bool)
        case redirect(ConsolePath)
        case file([UInt8], type: String, name: String)
    }

    let content: Content
    var notice: Notice?
    /// Whether the request had its effect, so that the same form has no second one.
    private(set) var isEffect = false
    /// Cookies to set, as texts of `Set-Cookie`.
    var cookies: [String] = []

    init(_ content: Content, notice: Notice? = nil) {
        self.content = content
        self.notice = notice
    }

    /// A whole page.
    package static func page(_ page: Page) -> Reply { Reply(.page(page, status: 200)) }

    /// A page that states why nothing was done, such as a form with its errors.
    package static func refused(_ status: Int = 422, _ page: Page) -> Reply {
        Reply(.page(page, status: status))
    }

    /// A page that is shown once, after an action: it contains a secret, or the result of the action.
    package static func outcome(_ page: Page) -> Reply {
        var reply = Reply.page(page)
        reply.isEffect = true
        return reply
    }

    /// A part of a page, which the console's script inserts.
    /// - Parameter isFinal: Whether the part does not change any more. The script then requests it no more.
    package static func fragment(_ html: HTML, isFinal: Bool = false) -> Reply {
        Reply(.fragment(html, isFinal: isFinal))
    }

    /// The next page after an action. The browser can go back and reload without repeating the action.
    /// - Parameter notice: What the next page shows about the action.
    package static func redirect(_ path: ConsolePath, notice: Notice? = nil) -> Reply {
        var reply = Reply(.redirect(path), notice: notice)
        reply.isEffect = true
        return reply
    }

    /// A file that the browser saves.
    package static func file(_ bytes: [UInt8], type: StaticString, name: String) -> Reply {
        Reply(.file(bytes, type: type.description, name: name))
    }
}

/// A text that the page after an action shows once. A notice is one of a fixed set: each group of screens
/// lists its notices, so that no text from an address or a cookie appears on a page.
package struct Notice: Sendable {
    package enum Tone: Sendable { case good, warn, bad }

    /// The notice's name in a cookie, such as `delivery.paused`.
    package let id: String
    package let text: Phrase
    package let tone: Tone

    package init(_ id: StaticString, _ text: Phrase, tone: Tone = .good) {
        (self.id, self.text, self.tone) = (id.description, text, tone)
    }
}
