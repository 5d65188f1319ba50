internal import PushAPI
internal import PushModel
internal import PushWire

/// An alarm of the master with what to do about it.
struct AlarmAdvice {
    private let alarm: MasterStatus.Alarm
    private let account: AccountStatus?

    init(_ alarm: MasterStatus.Alarm, _ accounts: [AccountStatus]) {
        self.alarm = alarm
        account = accounts.first {
            switch alarm.kind {
            case "account": $0.name == alarm.about
            // The topic's name is followed by that of its account.
            case "topic": alarm.about.hasSuffix(" of \($0.name)")
            default: false
            }
        }
    }

    func html(_ visit: Visit) -> HTML {
        let since: HTML? =
            alarm.seconds > 0
            ? "\(Phrase.since(Formats.durationAfterPreposition(seconds: alarm.seconds)))" : nil
        return HTML.alarm(
            state: HTML.badge(account == nil ? .bad : .warn, state), since: since, title: title,
            cause: HTML.inEnglish(alarm.cause), steps: steps.map { "\($0)" }, actions: actions(visit))
    }

    private var state: Phrase { account == nil ? .needsYou : .waits }

    private var title: HTML {
        let about = alarm.about
        return switch alarm.kind {
        case "store": "\(Phrase.store)"
        case "disk": "\(Phrase.disk)"
        case "account": "\(Phrase.account(about))"
        case "topic": "\(Phrase.topic(about))"
        case "children": "\(Phrase.children)"
        case "delivery": "\(about.isEmpty ? Phrase.deliveries : Phrase.delivery(about))"
        case "part": "\(Phrase.part)"
        case "clock": "\(Phrase.clock)"
        case "key": "\(Phrase.key)"
        case "host": "\(Phrase.host(about))"
        default: "\(name: about.isEmpty ? alarm.kind : about)"
        }
    }

    private var steps: [Phrase] {
        switch alarm.kind {
        case "store": [.checkStore, .goesOn]
        case "disk": [.freeSpace, .retainLess]
        case "account": [.explainAccount, .newCredential, .tryAgain]
        case "topic": [.checkTopic, .tryAgain]
        case "children": [.readLog, .checkMemory]
        case "delivery": [.decideDelivery]
        case "part": [.checkCredential]
        case "clock": [.setClock]
        case "key": [.restoreKey]
        case "host": [.checkHost]
        default: [.readLog]
        }
    }

    private func actions(_ visit: Visit) -> HTML {
        switch alarm.kind {
        case "account", "topic":
            guard let account else { return HTML.link(.showAccounts, "/accounts") }
            let explain = HTML.link(.explain, account.page, subject: account.name)
            return "\(explain)\(AccountParts.resume(account, visit))"
        case "store", "disk": return HTML.link(.showStore, "/store")
        case "host", "children": return HTML.link(.showHosts, "/hosts")
        case "part", "key": return link(.showApps, "/apps", visit)
        case "delivery":
            guard let id = Int64(alarm.about) else { return link(.showDeliveries, "/deliveries", visit) }
            return link(.showDelivery, "/deliveries/\(id)", visit)
        default: return .empty
        }
    }

    private func link(_ label: Phrase, _ path: ConsolePath, _ visit: Visit) -> HTML {
        visit.table.hasPage(path) ? HTML.link(label, path) : .empty
    }
}

extension Phrase {
    fileprivate static let needsYou = Phrase("Needs you", "Handlungsbedarf")
    fileprivate static let waits = Phrase("Waiting", "Wartet")
    fileprivate static func since(_ time: String) -> Phrase { Phrase("for \(time)", "seit \(time)") }
    fileprivate static let store = Phrase(
        "The store does not work as it should", "Der Speicher arbeitet nicht, wie er soll")
    fileprivate static let disk = Phrase("A disk is almost full", "Ein Datenträger ist fast voll")
    fileprivate static func account(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Account \(name) makes no progress", "Konto \(name) kommt nicht voran")
    }
    fileprivate static func topic(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("The gateway refuses \(name)", "Das Gateway lehnt \(name) ab")
    }
    fileprivate static let children = Phrase(
        "The processes that send keep ending", "Die Sendeprozesse enden immer wieder")
    fileprivate static func delivery(_ id: String) -> Phrase {
        Phrase("Delivery #\(id) is on hold", "Zustellung #\(id) wird zurückgehalten")
    }
    fileprivate static let deliveries = Phrase(
        "Deliveries are on hold", "Zustellungen werden zurückgehalten")
    fileprivate static let part = Phrase(
        "Messages wait because their account cannot be used",
        "Nachrichten warten, weil ihr Konto nicht nutzbar ist")
    fileprivate static let clock = Phrase("The clock is wrong", "Die Uhr geht falsch")
    fileprivate static let key = Phrase(
        "The instance key cannot be read", "Der Instanzschlüssel ist nicht lesbar")
    fileprivate static func host(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Host \(name) is silent", "Rechner \(name) meldet sich nicht")
    }
    fileprivate static let checkStore = Phrase(
        "Check the disk, or the database server and the network to it.",
        "Prüfen Sie den Datenträger, oder den Datenbankserver und das Netz dorthin.")
    fileprivate static let goesOn = Phrase(
        "Sending continues by itself as soon as the store answers. No message is lost.",
        "Das Senden geht von selbst weiter, sobald der Speicher antwortet. Keine Nachricht geht verloren.")
    fileprivate static let freeSpace = Phrase(
        "Free space on this disk, or enlarge it.",
        "Schaffen Sie Platz auf diesem Datenträger, oder vergrößern Sie ihn.")
    fileprivate static let retainLess = Phrase(
        "Keep ended deliveries for a shorter time: see the page Store.",
        "Bewahren Sie beendete Zustellungen kürzer auf: siehe die Seite Speicher.")
    fileprivate static let explainAccount = Phrase(
        "Open the account's page. It shows the gateway's answers and the settings in effect.",
        "Öffnen Sie die Seite des Kontos. Sie zeigt die Antworten des Gateways und die Einstellungen.")
    fileprivate static let newCredential = Phrase(
        "If the gateway refuses the credential, give the app a new one.",
        "Wenn das Gateway die Zugangsdaten ablehnt, geben Sie der App neue.")
    fileprivate static let tryAgain = Phrase(
        "After the correction, let the account try again now. It also tries again on its own.",
        "Lassen Sie es das Konto nach der Korrektur sofort erneut versuchen. Es versucht es auch von selbst.")
    fileprivate static let checkTopic = Phrase(
        "Check that the app's bundle ID and the credential's team belong together.",
        "Prüfen Sie, ob die Bundle-ID der App und das Team der Zugangsdaten zusammengehören.")
    fileprivate static let readLog = Phrase(
        "Read the service's log: it states the reason.", "Lesen Sie das Log des Dienstes: Es nennt den Grund."
    )
    fileprivate static let checkMemory = Phrase(
        "Check whether the machine has enough memory.",
        "Prüfen Sie, ob der Rechner genug Arbeitsspeicher hat.")
    fileprivate static let decideDelivery = Phrase(
        "Read why it is on hold, then release it or stop it.",
        "Lesen Sie, warum sie zurückgehalten wird, und geben Sie sie dann frei oder stoppen Sie sie.")
    fileprivate static let checkCredential = Phrase(
        "Check the credential of the app that the cause names.",
        "Prüfen Sie die Zugangsdaten der App, die die Ursache nennt.")
    fileprivate static let setClock = Phrase(
        "Check the time service of the machine, for example with timedatectl.",
        "Prüfen Sie den Zeitdienst des Rechners, zum Beispiel mit timedatectl.")
    fileprivate static let restoreKey = Phrase(
        "Restore the file of the instance key from a backup before you restart the service.",
        "Stellen Sie die Datei des Instanzschlüssels aus einer Sicherung her, bevor Sie neu starten.")
    fileprivate static let checkHost = Phrase(
        "Check whether the host and its network work. The other hosts take over its messages.",
        "Prüfen Sie, ob der Rechner und sein Netz arbeiten. Die anderen übernehmen seine Nachrichten.")
    fileprivate static let showAccounts = Phrase("Show the accounts", "Konten zeigen")
    fileprivate static let explain = Phrase("Explain", "Erklären")
    fileprivate static let showStore = Phrase("Show the store", "Speicher zeigen")
    fileprivate static let showHosts = Phrase("Show the hosts", "Rechner zeigen")
    fileprivate static let showApps = Phrase("Show the apps", "Apps zeigen")
    fileprivate static let showDeliveries = Phrase("Show the deliveries", "Zustellungen zeigen")
    fileprivate static let showDelivery = Phrase("Show the delivery", "Zustellung zeigen")
}
