/// The places of the main navigation. A place appears as soon as a group of screens has its page, for people
/// whose role has its scope.
package enum NavigationItem: CaseIterable, Sendable {
    case home, deliveries, compare, templates
    case subscribers, imports, apps, services
    case alarms, accounts, quarantine, hosts, webhooks, store, jobs, configuration
    case people, tokens, audit

    package enum Section: CaseIterable, Sendable {
        case sending, audience, engine, access

        var title: Phrase {
            switch self {
            case .sending: Phrase("Sending", "Versand")
            case .audience: Phrase("Audience", "Zielgruppe")
            case .engine: Phrase("Engine", "Betrieb")
            case .access: Phrase("Access", "Zugang")
            }
        }
    }

    package var section: Section {
        switch self {
        case .home, .deliveries, .compare, .templates: .sending
        case .subscribers, .imports, .apps, .services: .audience
        case .alarms, .accounts, .quarantine, .hosts, .webhooks, .store, .jobs, .configuration: .engine
        case .people, .tokens, .audit: .access
        }
    }

    package var path: ConsolePath {
        switch self {
        case .home: "/"
        case .deliveries: "/deliveries"
        case .compare: "/compare"
        case .templates: "/templates"
        case .subscribers: "/subscribers"
        case .imports: "/imports"
        case .apps: "/apps"
        case .services: "/services"
        case .alarms: "/alarms"
        case .accounts: "/accounts"
        case .quarantine: "/quarantine"
        case .hosts: "/hosts"
        case .webhooks: "/webhooks"
        case .store: "/store"
        case .jobs: "/jobs"
        case .people: "/people"
        case .tokens: "/tokens"
        case .audit: "/audit"
        case .configuration: "/configuration"
        }
    }

    package var title: Phrase {
        switch self {
        case .home: Phrase("Home", "Übersicht")
        case .deliveries: Phrase("Deliveries", "Zustellungen")
        case .compare: Phrase("Compare", "Vergleich")
        case .templates: Phrase("Templates", "Vorlagen")
        case .subscribers: Phrase("Subscribers", "Abonnenten")
        case .imports: Phrase("Import", "Import")
        case .apps: Phrase("Apps", "Apps")
        case .services: Phrase("Services", "Dienste")
        case .alarms: Phrase("Alarms", "Alarme")
        case .accounts: Phrase("Accounts", "Konten")
        case .quarantine: Phrase("Quarantine", "Quarantäne")
        case .hosts: Phrase("Hosts", "Rechner")
        case .webhooks: Phrase("Webhooks", "Webhooks")
        case .store: Phrase("Store", "Speicher")
        case .jobs: Phrase("Jobs", "Aufträge")
        case .people: Phrase("People", "Personen")
        case .tokens: Phrase("API tokens", "API-Token")
        case .audit: Phrase("Audit", "Protokoll")
        case .configuration: Phrase("Configuration", "Konfiguration")
        }
    }
}
