internal import PushAPI
internal import PushModel
internal import PushWire

/// The hosts that share the store, and the processes that send on this host.
enum HostScreens: ScreenGroup {
    static let notices = [drains, resumes]
    private static let drains = Notice("host.drains", .drains)
    private static let resumes = Notice("host.resumes", .resumes)

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/hosts", needs: .admin) { visit in
            let title = NavigationItem.hosts.title
            let body: HTML = """
                \(HTML.pageHead(title, meta: ["\(Phrase.about)"]))
                \(HTML.live("/hosts/live", try HostOverview(visit).html))
                """
            return .page(Page(title: title, current: .hosts, body: body))
        },
        ConsoleRoute(.get, "/hosts/live", needs: .admin) { visit in .fragment(try HostOverview(visit).html) },
        ConsoleRoute(.get, "/hosts/{id}/drain", needs: .admin) { visit in
            let id = visit.name("id")
            let hosts = try visit.carryOut(ListHosts())
            guard let host = hosts.first(where: { $0.id == id }) else { throw Refusal.notFound }
            let others = hosts.count { $0.sends && $0.id != id }
            let body = HTML.confirmation(
                visit, title: "\(Phrase.drainTitle(host.name))", consequence: "\(Phrase.drainText(others))",
                facts: HTML.facts([(.host, "\(name: host.name)"), (.parts, "\(count: host.parts)")]),
                action: "/hosts/\(id)/drain", label: .drain, back: "/hosts")
            return .page(Page(title: .drainTitle(host.name), current: .hosts, body: body))
        },
        ConsoleRoute(.post, "/hosts/{id}/drain", needs: .admin) { visit in
            _ = try visit.carryOut(DrainHost(host: visit.name("id"), isWanted: true))
            return .redirect("/hosts", notice: drains)
        },
        ConsoleRoute(.post, "/hosts/{id}/resume", needs: .admin) { visit in
            _ = try visit.carryOut(DrainHost(host: visit.name("id"), isWanted: false))
            return .redirect("/hosts", notice: resumes)
        },
    ]
}

private struct HostOverview {
    private let visit: Visit
    private let hosts: [HostView]
    private let master: MasterStatus?

    init(_ visit: Visit) throws {
        self.visit = visit
        hosts = try visit.recently(ListHosts())
        master = try visit.recently(ShowMaster())
    }

    var html: HTML { "\(hostCard)\(childCard)" }

    private var hostCard: HTML {
        guard !hosts.isEmpty else { return HTML.emptyState(.single, .singleText) }
        let columns: [HTML.Column] = [
            .init(.host), .init(.state), .init(.seen), .init(.parts, .number), .init(.unrecorded, .number),
            .init(.rate, .number), .init(.version), .actions,
        ]
        let rows = hosts.prefix(50).map { host -> [HTML] in
            let own: HTML? = host.isThis ? "<small>\(Phrase.thisHost)</small>" : nil
            return [
                "\(name: host.name)\(own)", badge(host),
                HTML(Formats.duration(seconds: host.silentSeconds)), "\(count: host.parts)",
                "\(count: host.unrecorded)", "\(count: host.answersPerSecond)", HTML(host.release),
                actions(host),
            ]
        }
        return HTML.card(.hosts, id: "hosts", table: HTML.table(columns, Array(rows)))
    }

    private func badge(_ host: HostView) -> HTML {
        let (tone, title): (HTML.Tone, Phrase) =
            switch host.state {
            case _ where host.hasGone: (.neutral, .gone)
            case "draining": (.warn, .draining)
            case "drained": (.neutral, .drained)
            case _ where host.silentSeconds >= 60: (.bad, .silent)
            case "leading": (.good, .leading)
            case "standby": (.neutral, .standby)
            default: host.sends ? (.good, .sends) : (.warn, Phrase(same: host.state))
            }
        return HTML.announced("host-\(host.id)", HTML.badge(tone, title))
    }

    private func actions(_ host: HostView) -> HTML {
        guard !host.hasGone, visit.isPermitted(DrainHost.self) else { return .empty }
        guard ["draining", "drained"].contains(host.state) else {
            return HTML.link(
                .drainLink, "/hosts/\(host.id)/drain", classes: "button-small", subject: host.name)
        }
        return visit.button(
            .resume, action: "/hosts/\(host.id)/resume", subject: host.name, classes: "button-small")
    }

    private var childCard: HTML {
        guard let master else {
            return HTML.emptyState(.noMaster, .noMasterText, action: HTML.link(.alarms, "/alarms"))
        }
        let uptime = Formats.durationAfterPreposition(seconds: master.uptimeSeconds)
        let note: HTML = "\(Phrase.master(Int(master.pid), uptime))"
        guard !master.children.isEmpty else {
            return HTML.card(.children, id: "children", note: note, body: "<p>\(Phrase.noChildren)</p>")
        }
        let columns: [HTML.Column] = [
            .init(.process), .init(.state), .init(.granted, .number), .init(.waiting, .number),
            .init(.inFlight, .number), .init(.connections, .number), .init(.memory, .number),
        ]
        let rows = master.children.prefix(200).map { child -> [HTML] in
            [
                "\(number: child.pid)<small>\(Phrase.generation(Int(child.generation)))</small>",
                Self.badge(child), "\(count: child.outstanding)", "\(count: child.waiting)",
                "\(count: child.inFlight)", "\(count: child.connections)",
                HTML(Formats.bytes(child.residentKilobytes * 1_024)),
            ]
        }
        return HTML.card(.children, id: "children", note: note, table: HTML.table(columns, Array(rows)))
    }

    private static func badge(_ child: MasterStatus.Child) -> HTML {
        switch child.state {
        case "working": HTML.badge(.good, .working)
        case "draining": HTML.badge(.warn, .draining)
        case "lost": HTML.badge(.bad, .lost)
        default: HTML.badge(.neutral, Phrase(same: child.state))
        }
    }
}

extension Phrase {
    fileprivate static let about = Phrase(
        "Several hosts can share a store. If one fails, the others take over its messages.",
        "Mehrere Rechner können sich einen Speicher teilen. Fällt einer aus, übernehmen die anderen.")
    fileprivate static let drains = Phrase(
        "The host stops sending. It completes what it has begun.",
        "Der Rechner hört auf zu senden. Er schließt Begonnenes ab.")
    fileprivate static let resumes = Phrase("The host sends again.", "Der Rechner sendet wieder.")
    fileprivate static func drainTitle(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Drain host \(name)?", "Rechner \(name) auslaufen lassen?")
    }
    fileprivate static func drainText(_ others: Int) -> Phrase {
        others == 0
            ? Phrase(
                "No other host sends. After this, nothing is sent until this host sends again.",
                "Kein anderer Rechner sendet. Danach wird nichts gesendet, bis dieser wieder sendet.")
            : .counted(
                others,
                one: Phrase(
                    "The host completes what it has begun and hands over the rest to 1 other host.",
                    "Der Rechner schließt Begonnenes ab und übergibt den Rest an 1 anderen.")
            ) {
                Phrase(
                    "The host completes what it has begun and hands over the rest to \($0) other hosts.",
                    "Der Rechner schließt Begonnenes ab und übergibt den Rest an \($0) andere.")
            }
    }
    fileprivate static let drain = Phrase("Drain the host", "Rechner auslaufen lassen")
    fileprivate static let drainLink = Phrase("Drain…", "Auslaufen lassen…")
    fileprivate static let resume = Phrase("Send again", "Wieder senden")
    fileprivate static let host = Phrase("Host", "Rechner")
    fileprivate static let hosts = Phrase("Hosts that share the store", "Rechner am gemeinsamen Speicher")
    fileprivate static let thisHost = Phrase("this host", "dieser Rechner")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let seen = Phrase("Silent for", "Ohne Meldung seit")
    fileprivate static let parts = Phrase("Parts", "Teile")
    fileprivate static let unrecorded = Phrase("Not yet recorded", "Noch nicht erfasst")
    fileprivate static let rate = Phrase("Answers a second", "Antworten pro Sekunde")
    fileprivate static let version = Phrase("Version", "Version")
    fileprivate static let gone = Phrase("Gone", "Nicht mehr da")
    fileprivate static let draining = Phrase("Draining", "Läuft aus")
    fileprivate static let drained = Phrase("Drained", "Ausgelaufen")
    fileprivate static let silent = Phrase("Silent", "Meldet sich nicht")
    fileprivate static let leading = Phrase("Sends and leads", "Sendet und führt")
    fileprivate static let standby = Phrase("Ready", "Bereit")
    fileprivate static let sends = Phrase("Sends", "Sendet")
    fileprivate static let single = Phrase("One host uses this store", "Ein Rechner nutzt diesen Speicher")
    fileprivate static let singleText = Phrase(
        "A store in a file has one host. To share the work, use PostgreSQL: see Scaling.md.",
        "Ein Speicher in einer Datei hat einen Rechner. Für mehrere verwenden Sie PostgreSQL: siehe "
            + "Scaling.md."
    )
    fileprivate static let noMaster = Phrase("No master runs on this host", "Hier läuft kein Master")
    fileprivate static let noMasterText = Phrase(
        "Nothing is sent from this host.", "Von diesem Rechner wird nichts gesendet.")
    fileprivate static let alarms = Phrase("Show the alarms", "Alarme zeigen")
    fileprivate static let children = Phrase("Children of this host", "Kindprozesse dieses Rechners")
    fileprivate static func master(_ pid: Int, _ uptime: String) -> Phrase {
        Phrase("Master \(pid), running for \(uptime)", "Master \(pid), läuft seit \(uptime)")
    }
    fileprivate static let noChildren = Phrase(
        "No child runs: none is needed, because no message is due.",
        "Kein Kindprozess läuft: Es wird keiner gebraucht, weil keine Nachricht fällig ist.")
    fileprivate static let process = Phrase("Process", "Prozess")
    fileprivate static func generation(_ number: Int) -> Phrase {
        Phrase("number \(number) since the start", "Nummer \(number) seit dem Start")
    }
    fileprivate static let granted = Phrase("Messages it has", "Nachrichten bei ihm")
    fileprivate static let waiting = Phrase("Not yet sent", "Noch nicht gesendet")
    fileprivate static let inFlight = Phrase("In flight", "Unterwegs")
    fileprivate static let connections = Phrase("Connections", "Verbindungen")
    fileprivate static let memory = Phrase("Memory", "Arbeitsspeicher")
    fileprivate static let working = Phrase("Working", "Arbeitet")
    fileprivate static let lost = Phrase("Lost", "Verloren")
}
