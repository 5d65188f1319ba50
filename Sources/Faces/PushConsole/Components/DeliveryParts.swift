package import PushAPI
package import PushModel

extension DeliveryView {
    /// The delivery's name for people; its number if it has no label.
    package var shownLabel: String { label.isEmpty ? "#\(id.rawValue)" : label }
    package var path: ConsolePath { "/deliveries/\(id.rawValue)" }
    package var link: HTML { "<a href=\"\(path)\">\(name: shownLabel)</a>" }
}

extension DeliveryState {
    package var title: Phrase {
        switch self {
        case .startPending: Phrase("Scheduled", "Geplant")
        case .preparing: Phrase("Preparing", "In Vorbereitung")
        case .inProgress: Phrase("In progress", "Wird gesendet")
        case .paused: Phrase("Paused", "Angehalten")
        case .stopping: Phrase("Stopping", "Wird gestoppt")
        case .stopped: Phrase("Stopped", "Gestoppt")
        case .finished: Phrase("Finished", "Beendet")
        case .failed: Phrase("Failed", "Fehlgeschlagen")
        }
    }

    package var badge: HTML {
        let tone: HTML.Tone =
            switch self {
            case .startPending, .stopped, .stopping: .neutral
            case .preparing, .inProgress: .active
            case .paused: .warn
            case .finished: .good
            case .failed: .bad
            }
        return HTML.badge(tone, title)
    }
}
