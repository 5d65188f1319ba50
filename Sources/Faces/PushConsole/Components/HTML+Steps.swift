/// Steps, tabs, pages of lists, and searches.
extension HTML {
    package struct Step: Sendable {
        package var title: Phrase
        /// A short note below the title, such as what is missing.
        package var note: Phrase?
        /// The step's page; `nil` if it cannot be reached yet.
        package var path: ConsolePath?
        package var isDone: Bool
        /// Whether the note states something that must be corrected.
        package var isFaulty: Bool

        package init(
            _ title: Phrase, path: ConsolePath?, isDone: Bool = false, note: Phrase? = nil,
            isFaulty: Bool = false
        ) {
            (self.title, self.path, self.isDone, self.note) = (title, path, isDone, note)
            self.isFaulty = isFaulty
        }
    }

    /// The steps of a longer task.
    /// - Parameter current: The index of the current step.
    package static func stepper(_ steps: [Step], current: Int) -> HTML {
        let items = steps.enumerated().map { index, step -> HTML in
            let mark = index == current ? "step" : nil
            let kind = step.isDone && index != current ? "done" : nil
            let note: HTML? = step.note.map {
                "<small\("class", is: step.isFaulty ? "todo" : nil)>\($0)</small>"
            }
            guard let path = step.path else {
                return """
                    <li><span class="step\(kind == nil ? "" : " done")"\("aria-current", is: mark)>\
                    \(step.title)\(note)</span></li>
                    """
            }
            return """
                <li><a href="\(path)"\("class", is: kind)\("aria-current", is: mark)>\(step.title)\
                \(note)</a></li>
                """
        }
        let now: HTML? =
            steps.indices.contains(current)
            ? """
            <p class="stepper-now" aria-hidden="true">\
            \(Phrase.step(current + 1, of: steps.count)): \(steps[current].title)</p>
            """ : nil
        return "\(now)<nav aria-label=\"\(Phrase.steps)\"><ol class=\"stepper\">\(items)</ol></nav>"
    }

    /// Views of one object.
    package static func tabs(
        _ tabs: [(title: HTML, note: HTML?, path: ConsolePath)], current: Int, label: Phrase
    ) -> HTML {
        let links = tabs.enumerated().map { index, tab -> HTML in
            let note: HTML? = tab.note.map { "<small>\($0)</small>" }
            let mark = index == current ? "page" : nil
            return "<a href=\"\(tab.path)\"\("aria-current", is: mark)>\(tab.title)\(note)</a>"
        }
        return "<nav class=\"tabs\" aria-label=\"\(label)\">\(links)</nav>"
    }

    /// Links to the first and to the next page of a list.
    /// - Parameters:
    ///   - path: The address of the list with its filters, without a cursor.
    ///   - cursor: The cursor of the current page; `nil` on the first page.
    ///   - next: The cursor of the next page; `nil` on the last page.
    package static func pager(_ path: ConsolePath, cursor: String?, next: String?) -> HTML {
        guard cursor != nil || next != nil else { return .empty }
        let first: HTML? = cursor.map { _ in "<a class=\"button\" href=\"\(path)\">\(Phrase.firstPage)</a>" }
        let following: HTML? = next.map {
            "<a class=\"button\" rel=\"next\" href=\"\(path.with("cursor", $0))\">\(Phrase.nextPage)</a>"
        }
        return "<nav class=\"row pager\" aria-label=\"\(Phrase.pages)\">\(first)\(following)</nav>"
    }

    /// A form that searches. It changes nothing and needs no token, and its address can be kept.
    /// - Parameters:
    ///   - fields: Further fields, such as a select.
    package static func search(
        _ path: ConsolePath, label: Phrase, name: StaticString = "q", value: String, fields: HTML = .empty
    ) -> HTML {
        """
        <form class="row search" method="get" role="search" action="\(path)">\
        <label class="hidden-text" for="search-\(name.description)">\(label)</label>\
        <input class="input" type="search" id="search-\(name.description)" name="\(name.description)" \
        value="\(value)" placeholder="\(label)">\(fields)\
        <button class="button">\(Phrase.search)</button></form>
        """
    }
}

extension Phrase {
    fileprivate static let steps = Phrase("Steps", "Schritte")
    fileprivate static func step(_ number: Int, of count: Int) -> Phrase {
        Phrase("Step \(number) of \(count)", "Schritt \(number) von \(count)")
    }
    fileprivate static let pages = Phrase("Pages of the list", "Seiten der Liste")
    fileprivate static let firstPage = Phrase("First page", "Erste Seite")
    fileprivate static let nextPage = Phrase("Next page", "Nächste Seite")
    fileprivate static let search = Phrase("Search", "Suchen")
}
