internal import PushAPI
internal import PushModel

/// The configuration as the service read it, with what is wrong in the file.
enum ConfigurationScreens: ScreenGroup {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/configuration", needs: .admin, lengthy: true) { visit in
            let rows = try visit.carryOut(ShowConfiguration()).map(\.values)
            let title = NavigationItem.configuration.title
            let text = (visit.query["q"] ?? "").lowercased()
            let found = rows.filter { row in
                text.isEmpty || row.path.lowercased().contains(text) || row.value.lowercased().contains(text)
            }
            let body: HTML = """
                \(HTML.pageHead(title, meta: ["\(Phrase.about)"]))
                \(HTML.stack(
                    try findings(visit), HTML.search("/configuration", label: .search, value: text),
                    settings(found, text)))
                """
            return .page(Page(title: title, current: .configuration, body: body))
        }
    ]

    /// What the file contains now, which may differ from what the service read.
    private static func findings(_ visit: Visit) throws -> HTML {
        let check = try visit.attempt(fields: []) { try visit.carryOut(CheckConfiguration()) }
        let report: ConfigurationReport
        switch check {
        case .done(let answer): report = answer
        case .refused(let errors): return HTML.errors(errors)
        }
        let findings = report.findings.map(\.values)
            .sorted { rank($0.severity) < rank($1.severity) }
        let state =
            report.valid ? HTML.badge(.good, .valid) : HTML.badge(.bad, .invalid)
        guard !findings.isEmpty else {
            return HTML.card(
                .file, id: "file", note: HTML.code(report.path), body: "<p>\(state) \(Phrase.noFinding)</p>")
        }
        let rows = findings.prefix(50).map { finding -> [HTML] in
            [
                HTML.english(finding.message), badge(finding.severity),
                finding.line > 0 ? "\(number: finding.line)" : "–",
            ]
        }
        let next: HTML? = report.valid ? nil : "<p>\(Phrase.correct)</p>"
        return HTML.card(
            .file, id: "file", note: "\(state) \(HTML.code(report.path))",
            table: HTML.table([.init(.finding), .init(.severity), .init(.line, .number)], Array(rows)),
            foot: next)
    }

    private static func rank(_ severity: String) -> Int {
        ["error", "warning", "note", "ignored"].firstIndex(of: severity) ?? 4
    }

    private static func badge(_ severity: String) -> HTML {
        switch severity {
        case "error": HTML.badge(.bad, .error)
        case "warning": HTML.badge(.warn, .warning)
        case "note": HTML.badge(.neutral, .note)
        default: HTML.badge(.neutral, .ignored)
        }
    }

    private static func settings(
        _ rows: [(path: String, value: String, line: Int?)], _ text: String
    ) -> HTML {
        guard !rows.isEmpty else {
            return HTML.emptyState(.noMatch, .noMatchText, action: HTML.link(.showAll, "/configuration"))
        }
        let written = rows.filter { $0.line != nil }
        let others = rows.filter { $0.line == nil }
        func table(_ rows: [(path: String, value: String, line: Int?)]) -> HTML {
            HTML.table(
                [.init(.setting), .init(.value), .init(.origin)],
                rows.map { row in
                    [
                        HTML.code(row.path), row.value.isEmpty ? "–" : HTML.english(row.value),
                        "\(row.line.map(Phrase.lineNumber) ?? .default)",
                    ]
                })
        }
        let first =
            written.isEmpty
            ? HTML.emptyState(.noneWritten, .noneWrittenText)
            : HTML.card(.written, id: "written", table: table(written))
        guard !others.isEmpty else { return first }
        return HTML.stack(first, HTML.card(.defaults, id: "defaults", table: table(others)))
    }
}

extension Phrase {
    fileprivate static let about = Phrase(
        "The values in effect. To change them, edit the file and run: pushmta reload.",
        "Die geltenden Werte. Um sie zu ändern, bearbeiten Sie die Datei und rufen Sie auf: pushmta reload.")
    fileprivate static let search = Phrase("Setting or value", "Einstellung oder Wert")
    fileprivate static let file = Phrase("The file now", "Die Datei jetzt")
    fileprivate static let valid = Phrase("Valid", "Gültig")
    fileprivate static let invalid = Phrase("Not valid", "Nicht gültig")
    fileprivate static let noFinding = Phrase("Nothing to note.", "Nichts zu bemerken.")
    fileprivate static let finding = Phrase("Finding", "Befund")
    fileprivate static let severity = Phrase("Kind", "Art")
    fileprivate static let line = Phrase("Line", "Zeile")
    fileprivate static let correct = Phrase(
        "The service would not start with this file. Correct the errors before you restart it.",
        "Mit dieser Datei würde der Dienst nicht starten. Beheben Sie die Fehler vor dem nächsten Start.")
    fileprivate static let error = Phrase("Error", "Fehler")
    fileprivate static let warning = Phrase("Warning", "Warnung")
    fileprivate static let note = Phrase("Note", "Hinweis")
    fileprivate static let ignored = Phrase("Ignored", "Ohne Wirkung")
    fileprivate static let noMatch = Phrase("No setting matches", "Keine Einstellung passt")
    fileprivate static let noMatchText = Phrase(
        "Search for a part of a path, such as quarantine.",
        "Suchen Sie nach einem Teil eines Pfads, etwa quarantine.")
    fileprivate static let showAll = Phrase("Show all settings", "Alle Einstellungen zeigen")
    fileprivate static let setting = Phrase("Setting", "Einstellung")
    fileprivate static let value = Phrase("Value", "Wert")
    fileprivate static let origin = Phrase("Origin", "Herkunft")
    fileprivate static let `default` = Phrase("Default", "Vorgabe")
    fileprivate static func lineNumber(_ line: Int) -> Phrase { Phrase("Line \(line)", "Zeile \(line)") }
    fileprivate static let noneWritten = Phrase(
        "The file sets nothing", "Die Datei setzt nichts")
    fileprivate static let noneWrittenText = Phrase(
        "All settings have their defaults.", "Alle Einstellungen haben ihre Vorgaben.")
    fileprivate static let written = Phrase("Set in the file", "In der Datei gesetzt")
    fileprivate static let defaults = Phrase("Defaults", "Vorgaben")
}
