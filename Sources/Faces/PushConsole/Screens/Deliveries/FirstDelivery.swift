internal import PushAPI

/// What a person who has no delivery yet does next: create an app, import subscribers, or write a delivery. A
/// step that the person's role does not permit is described, but has no button.
struct FirstDelivery {
    /// The maximum number of services in which subscribers are looked for.
    private static let maxServices = 20

    private let visit: Visit
    private let hasApp: Bool
    private let hasSubscriber: Bool

    init(_ visit: Visit) throws {
        self.visit = visit
        let services = Set(try visit.apps().map(\.service))
        hasApp = !services.isEmpty
        // The rest of a long list is assumed to have subscribers.
        hasSubscriber =
            try services.count > Self.maxServices
            || services.contains { name in
                try !visit.carryOut(ShowSubscribers(service: name, limit: 1)).items.isEmpty
            }
    }

    var html: HTML {
        guard hasApp else {
            guard visit.isPermitted(CreateApp.self) else {
                return HTML.emptyState(.nothing, .askForApp)
            }
            return HTML.emptyState(.nothing, .createApp, action: HTML.link(.newApp, "/apps/new"))
        }
        guard hasSubscriber else {
            guard visit.isPermitted(ImportSubscribers.self) else {
                return HTML.emptyState(.nothing, .askForSubscribers)
            }
            return HTML.emptyState(
                .nothing, .importFirst, action: HTML.link(.importList, NavigationItem.imports.path))
        }
        guard visit.isPermitted(SubmitDelivery.self) else { return HTML.emptyState(.nothing, .whatItIs) }
        return HTML.emptyState(
            .nothing, .whatItIs, action: HTML.link(.newDelivery, "/deliveries/new"))
    }
}

extension Phrase {
    fileprivate static let nothing = Phrase("There is no delivery yet", "Es gibt noch keine Zustellung")
    fileprivate static let whatItIs = Phrase(
        "A delivery sends the same content to many devices.",
        "Eine Zustellung sendet denselben Inhalt an viele Geräte.")
    fileprivate static let createApp = Phrase(
        "A delivery reaches the devices of an app. Create the app first.",
        "Eine Zustellung erreicht die Geräte einer App. Legen Sie zuerst die App an.")
    fileprivate static let askForApp = Phrase(
        "A delivery reaches the devices of an app, and there is no app yet. Ask an operator to create one.",
        "Eine Zustellung erreicht die Geräte einer App, und es gibt noch keine App. Bitten Sie den "
            + "Betrieb, eine anzulegen.")
    fileprivate static let importFirst = Phrase(
        "No device has registered yet. Import subscribers, or wait until the app registers devices.",
        "Noch ist kein Gerät registriert. Importieren Sie Abonnenten, oder warten Sie, bis die App Geräte "
            + "registriert.")
    fileprivate static let askForSubscribers = Phrase(
        "No device has registered yet. Ask an operator to import subscribers.",
        "Noch ist kein Gerät registriert. Bitten Sie den Betrieb, Abonnenten zu importieren.")
    fileprivate static let newApp = Phrase("New app", "Neue App")
    fileprivate static let importList = Phrase("Import a list", "Liste importieren")
    fileprivate static let newDelivery = Phrase("New delivery", "Neue Zustellung")
}
