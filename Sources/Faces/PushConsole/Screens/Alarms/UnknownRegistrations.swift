internal import PushAPI
internal import PushModel

/// The integration keys that devices sent and that no app has.
enum UnknownRegistrations {
    private static let title = Phrase("Registrations that fail", "Fehlgeschlagene Registrierungen")

    @Sendable static func page(_ visit: Visit) throws -> Reply {
        let keys = try visit.carryOut(ListUnknownKeys())
        let path: ConsolePath = "/unknown-registrations"
        let (shown, next) = HTML.part(of: keys, after: visit.cursorNumber)
        let rows = shown.map { key -> [HTML] in
            let apps = key.appsOfOtherPlatforms
            return [
                key.integrationKey.map { "\(name: $0)" } ?? "\(Phrase.others)",
                HTML(key.platform ?? "–"), "\(count: key.registrations)", "\(moment: key.firstAt)",
                "\(moment: key.lastAt)",
                apps.isEmpty ? "\(Phrase.noApp)" : "\(Phrase.otherPlatform) \(HTML.names(apps))",
            ]
        }
        let content =
            rows.isEmpty
            ? HTML.emptyState(.none, .noneText)
            : HTML.stack(
                "<p>\(Phrase.advice)</p>",
                HTML.card(
                    .keys, id: "keys",
                    table: HTML.table(
                        [
                            .init(.key), .init(.platform), .init(.registrations, .number), .init(.first),
                            .init(.last), .init(.known),
                        ], rows)), HTML.pager(path, cursor: visit.query.given("cursor"), next: next))
        let crumbs: [(title: HTML, path: ConsolePath)] = [("\(NavigationItem.alarms.title)", "/alarms")]
        return .page(
            Page(
                title: title, current: .alarms, body: "\(HTML.pageHead(title, crumbs: crumbs))\(content)"))
    }
}

extension Phrase {
    fileprivate static let others = Phrase("All further keys", "Alle weiteren Schlüssel")
    fileprivate static let noApp = Phrase("No app has this key", "Keine App hat diesen Schlüssel")
    fileprivate static let otherPlatform = Phrase("On another platform:", "Auf einer anderen Plattform:")
    fileprivate static let none = Phrase("All registrations are accepted", "Alle Registrierungen gelingen")
    fileprivate static let noneText = Phrase(
        "If devices register with an integration key that no app has, the key appears here.",
        "Wenn Geräte sich mit einem Integrationsschlüssel melden, den keine App hat, erscheint er hier.")
    fileprivate static let advice = Phrase(
        "Compare each key with the integration page of its app, and correct the app's build or add the key "
            + "to the app. Devices that use a wrong key receive no pushes.",
        "Vergleichen Sie jeden Schlüssel mit der Integrationsseite seiner App und korrigieren Sie die App "
            + "oder tragen Sie ihn bei der App ein. Geräte mit falschem Schlüssel erhalten nichts."
    )
    fileprivate static let keys = Phrase("Integration keys", "Integrationsschlüssel")
    fileprivate static let key = Phrase("Integration key", "Integrationsschlüssel")
    fileprivate static let platform = Phrase("Platform", "Plattform")
    fileprivate static let registrations = Phrase("Registrations", "Registrierungen")
    fileprivate static let first = Phrase("First", "Zuerst")
    fileprivate static let last = Phrase("Last", "Zuletzt")
    fileprivate static let known = Phrase("Known as", "Bekannt als")
}
