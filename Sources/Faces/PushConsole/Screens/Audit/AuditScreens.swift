internal import PushAPI
internal import PushModel

/// Who changed what. A filter examines a limited number of lines for each page.
enum AuditScreens: ScreenGroup {
    private static let path: ConsolePath = "/audit"
    private static let perPage = 50
    private static let mostExamined = 5_000

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/audit", needs: .admin) { visit in
            let (lines, next) = try lines(visit)
            let text = visit.query["q"] ?? ""
            let title = NavigationItem.audit.title
            let pager = HTML.pager(
                path.with("q", visit.query.given("q")), cursor: visit.query.given("cursor"), next: next)
            let body: HTML = """
                \(HTML.pageHead(title, meta: ["\(Phrase.about)"]))
                \(HTML.stack(
                    HTML.search(path, label: .search, value: text),
                    content(lines, isFiltered: !text.isEmpty, hasMore: next != nil), pager))
                """
            return .page(Page(title: title, current: .audit, body: body))
        }
    ]

    private typealias Line = (number: Int64, at: WallMoment, who: String, action: String, what: String)

    private static func lines(_ visit: Visit) throws -> (lines: [Line], next: String?) {
        let text = (visit.query["q"] ?? "").lowercased()
        var read = ReadAudit()
        read.before = visit.cursorNumber
        // One more line than a page shows whether there is a next page.
        read.limit = text.isEmpty ? perPage + 1 : 1_000
        var (found, examined) = ([Line](), 0)
        while true {
            let lines = try visit.carryOut(read).items.map(\.values)
            for line in lines {
                guard found.count < perPage else { return (found, found.last.map { "\($0.number)" }) }
                examined += 1
                if text.isEmpty || matches(line, text) { found.append(line) }
                read.before = line.number
            }
            if lines.count < read.limit { return (found, nil) }
            if examined >= mostExamined { return (found, read.before.map { "\($0)" }) }
        }
    }

    private static func matches(_ line: Line, _ text: String) -> Bool {
        [line.what, line.action, line.who].contains { $0.lowercased().contains(text) }
    }

    private static func content(_ lines: [Line], isFiltered: Bool, hasMore: Bool) -> HTML {
        guard !lines.isEmpty else {
            if hasMore { return HTML.emptyState(.noneHere, .noneHereText) }
            return isFiltered
                ? HTML.emptyState(.noMatch, .noMatchText, action: HTML.link(.showAll, path))
                : HTML.emptyState(.nothing, .nothingText)
        }
        let rows = lines.map { line -> [HTML] in
            [
                "\(moment: line.at)", "\(name: line.who)", HTML.code(line.action),
                "\(name: line.what.isEmpty ? "–" : line.what)",
            ]
        }
        let columns: [HTML.Column] = [.init(.when), .init(.who), .init(.action), .init(.object)]
        return HTML.card(table: HTML.table(columns, rows, caption: NavigationItem.audit.title))
    }
}

extension Phrase {
    fileprivate static let about = Phrase(
        "Changes by people, commands and the API, newest first. Lines are kept for 400 days.",
        "Änderungen durch Personen, Befehle und die API, neueste zuerst. Zeilen bleiben 400 Tage.")
    fileprivate static let search = Phrase("Object, action or person", "Objekt, Aktion oder Person")
    fileprivate static let noneHere = Phrase("None among these lines", "Keine unter diesen Zeilen")
    fileprivate static let noneHereText = Phrase(
        "The trail is long. The next page continues the search in older lines.",
        "Das Protokoll ist lang. Die nächste Seite sucht in älteren Zeilen weiter.")
    fileprivate static let noMatch = Phrase("No line matches", "Keine passende Zeile")
    fileprivate static let noMatchText = Phrase(
        "Search for a part of a name, such as an app's, or of an action, such as quarantine.",
        "Suchen Sie nach einem Teil eines Namens, etwa dem einer App, oder einer Aktion, etwa quarantine.")
    fileprivate static let showAll = Phrase("Show all lines", "Alle Zeilen zeigen")
    fileprivate static let nothing = Phrase("Nothing was changed yet", "Noch wurde nichts geändert")
    fileprivate static let nothingText = Phrase(
        "Each change appears here with the person or program that made it.",
        "Jede Änderung erscheint hier mit der Person oder dem Programm, das sie vornahm.")
    fileprivate static let when = Phrase("When", "Wann")
    fileprivate static let who = Phrase("Who", "Wer")
    fileprivate static let action = Phrase("Action", "Aktion")
    fileprivate static let object = Phrase("Object", "Objekt")
}
