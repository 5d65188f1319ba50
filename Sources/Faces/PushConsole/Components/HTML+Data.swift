internal import PushModel

/// Tables, badges, facts and figures.
extension HTML {
    /// A column of a table.
    package struct Column: Sendable {
        package enum Kind: Sendable { case text, number, actions }
        package var title: Phrase
        package var kind: Kind
        /// The page of the object that the column is about; `nil` if there is none.
        var path: ConsolePath?

        package init(_ title: Phrase, _ kind: Kind = .text) { (self.title, self.kind) = (title, kind) }
        /// The column with the buttons of each row.
        package static let actions = Column(Phrase("Actions", "Aktionen"), .actions)

        fileprivate var head: HTML { path.map { "<a href=\"\($0)\">\(title)</a>" } ?? "\(title)" }
    }

    /// A table whose rows become blocks on a narrow screen.
    /// - Parameters:
    ///   - rows: For each row, the content of each column. The first one is the row's heading.
    ///   - caption: A title that only screen readers read out; give one if no heading is above the table.
    package static func table(
        _ columns: [Column], _ rows: [[HTML]], caption: Phrase? = nil
    ) -> HTML {
        let heads = columns.enumerated().map { index, column -> HTML in
            switch column.kind {
            case .actions: "<th scope=\"col\"><span class=\"hidden-text\">\(column.title)</span></th>"
            case .number: "<th scope=\"col\" class=\"number\">\(column.head)</th>"
            case .text: "<th scope=\"col\"\("class", is: index == 0 ? "lead" : nil)>\(column.title)</th>"
            }
        }
        let body = rows.map { row -> HTML in
            let cells = zip(columns, row).enumerated().map { index, cell -> HTML in
                let (column, content) = cell
                if index == 0 { return "<th scope=\"row\">\(content)</th>" }
                switch column.kind {
                case .actions: return "<td class=\"actions\">\(content)</td>"
                case .number:
                    return "<td data-label=\"\(column.title)\" class=\"number\"><span>\(content)</span></td>"
                case .text: return "<td data-label=\"\(column.title)\"><span>\(content)</span></td>"
                }
            }
            return "<tr>\(cells)</tr>"
        }
        let title: HTML? = caption.map { "<caption class=\"hidden-text\">\($0)</caption>" }
        return """
            <table class="responsive">\(title)<thead><tr>\(heads)</tr></thead><tbody>\(body)</tbody></table>
            """
    }

    /// A small table of figures: a heading for each row, and numbers.
    package static func plainTable(_ heads: [Phrase], _ rows: [(head: HTML, cells: [Int])]) -> HTML {
        let columns = heads.enumerated().map { index, head -> HTML in
            "<th scope=\"col\"\("class", is: index == 0 ? nil : "number")>\(head)</th>"
        }
        let body = rows.map { row -> HTML in
            let cells = row.cells.map { "<td class=\"number\">\(count: $0)</td>" as HTML }
            return "<tr><th scope=\"row\">\(row.head)</th>\(cells)</tr>"
        }
        return """
            <table class="plain-table"><thead><tr>\(columns)</tr></thead><tbody>\(body)</tbody></table>
            """
    }

    /// A count with its share of a whole.
    static func count(_ part: Int, of whole: Int) -> HTML {
        let share: HTML? = Formats.share(part, of: whole).map { "<small>\($0)</small>" }
        return "\(count: part)\(part > 0 ? share : nil)"
    }

    package enum Tone: Sendable {
        case neutral, active, good, warn, bad

        fileprivate var suffix: HTML {
            switch self {
            case .neutral: ""
            case .active: " badge-active"
            case .good: " badge-good"
            case .warn: " badge-warn"
            case .bad: " badge-bad"
            }
        }
    }

    /// A state as a shape, a word and a colour.
    package static func badge(_ tone: Tone, _ text: Phrase) -> HTML {
        "<span class=\"badge\(tone.suffix)\">\(text)</span>"
    }

    /// Terms with values.
    package static func facts(_ facts: [(term: Phrase, value: HTML)]) -> HTML {
        let rows = facts.map { "<dt>\($0.term)</dt><dd>\($0.value)</dd>" as HTML }
        return "<dl class=\"facts\">\(rows)</dl>"
    }

    /// A few large figures.
    package static func figures(_ figures: [(term: Phrase, value: HTML, note: HTML?)]) -> HTML {
        let items = figures.map { figure -> HTML in
            let note: HTML? = figure.note.map { " <small>\($0)</small>" }
            return "<div><dt>\(figure.term)</dt><dd>\(figure.value)\(note)</dd></div>"
        }
        return "<dl class=\"figures\">\(items)</dl>"
    }

    /// Parts of a whole with their shares.
    package static func breakdown(_ items: [(label: HTML, count: Int)]) -> HTML {
        let whole = items.reduce(0) { $0 + max(0, $1.count) }
        let rows = items.map { item -> HTML in
            """
            <li><span>\(item.label)</span><b>\(count: item.count)</b>\
            \(bar([(item.count, .quiet)], of: whole, thickness: .thin))</li>
            """
        }
        return "<ul class=\"breakdown\">\(rows)</ul>"
    }

    /// Things that need a person, each with the button that deals with it.
    package static func tasks(_ tasks: [(title: HTML, text: HTML, action: HTML)]) -> HTML {
        let items = tasks.map { task -> HTML in
            "<li><div><h3>\(task.title)</h3><p>\(task.text)</p></div>\(task.action)</li>"
        }
        return "<ul class=\"tasks\">\(items)</ul>"
    }

    /// A problem with its cause and what to do.
    package static func alarm(
        state: HTML, since: HTML?, title: HTML, cause: HTML, steps: [HTML], actions: HTML = .empty
    ) -> HTML {
        let duration: HTML? = since.map { "<span class=\"small muted\">\($0)</span>" }
        let items = steps.map { "<li><span>\($0)</span></li>" as HTML }
        let list: HTML? = items.isEmpty ? nil : "<h4>\(Phrase.whatToDo)</h4><ol>\(items)</ol>"
        let row: HTML? = actions.isEmpty ? nil : "<div class=\"row\">\(actions)</div>"
        return """
            <article class="alarm"><div><p class="row">\(state)\(duration)</p><h3>\(title)</h3>\
            <p class="cause">\(cause)</p></div><div>\(list)\(row)</div></article>
            """
    }
}

extension Phrase {
    fileprivate static let whatToDo = Phrase("What to do", "Was zu tun ist")
}
