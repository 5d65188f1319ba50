package import PushModel

extension HTML {
    /// What a phone shows of a content. Placeholders appear as they were written.
    /// - Parameter language: The tag of the texts' language; `nil` if it is unknown.
    package static func phone(
        _ platform: Platform, title: String, body: String, language: String?, label: Phrase
    ) -> HTML {
        let isApple = platform == .ios
        let clock = Moments.clock(Presentation.current.now)
        let icon: HTML = """
            <svg class="icon" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" \
            fill="#5b6577"/></svg>
            """
        let texts: HTML = "<strong>\(title)</strong>"
        let time: HTML = "<span class=\"when\">\(clock)</span>"
        let head: HTML =
            isApple
            ? "<div class=\"top\">\(texts)</div>"
            : "<div class=\"top\"><span class=\"from\">App</span>\(time)</div>\(texts)"
        let aside: HTML = isApple ? "<div class=\"aside\">\(time)</div>" : .empty
        return """
            <figure><div class="phone\(isApple ? "" as HTML : " phone-android")"\("lang", is: language)>\
            <p class="clock">\(clock)</p><div class="push">\(icon)<div>\(head)<p>\(body)</p></div>\
            \(aside)</div></div><figcaption class="phone-label"><b>\(label)</b></figcaption></figure>
            """
    }
}
