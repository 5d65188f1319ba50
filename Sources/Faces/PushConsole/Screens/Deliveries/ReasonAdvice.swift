internal import PushModel
internal import PushWire

/// What a reason means in plain words, and what to do about it.
struct ReasonAdvice {
    let meaning: Phrase
    let advice: Phrase

    /// Returns the advice about a reason of a gateway or of the product itself.
    /// - Parameters:
    ///   - reason: The gateway's reason, which may have details after a colon.
    ///   - failureReason: Campaign's reason; `nil` if there is none.
    init(_ reason: String, failureReason: String?) {
        let word = ReasonText.word(of: reason)
        let known = Self.table.first { $0.isPrefix ? word.hasPrefix($0.word) : word == $0.word }
        if let known {
            (meaning, advice) = (known.meaning, known.advice)
        } else if let found = FailureReason.allCases.first(where: { $0.label == failureReason }),
            let text = Self.general(found)
        {
            (meaning, advice) = text
        } else {
            (meaning, advice) = (.refused, .askOperator)
        }
    }

    private static func general(_ reason: FailureReason) -> (Phrase, Phrase)? {
        switch reason {
        case .userUnknown: (.gone, .nothing)
        case .unreachable: (.busy, .retryLater)
        case .inQuarantine: (.quarantined, .nothing)
        case .denylisted: (.optedOut, .respect)
        case .refused: (.refused, .askOperator)
        default: nil
        }
    }

    private typealias Entry = (word: String, isPrefix: Bool, meaning: Phrase, advice: Phrase)

    private static let table: [Entry] = ofDevices + ofGateways + ofContents + ofProduct

    private static let ofDevices: [Entry] = [
        ("Unregistered", false, .gone, .nothing), ("UNREGISTERED", false, .gone, .nothing),
        ("NotRegistered", false, .gone, .nothing), ("ExpiredToken", false, .gone, .nothing),
        ("BadDeviceToken", false, .foreignToken, .checkEnvironment),
        ("InvalidRegistration", false, .foreignToken, .checkRegistration),
        ("DeviceTokenNotForTopic", false, .otherApp, .checkBundle),
        ("SENDER_ID_MISMATCH", false, .otherProject, .checkProject),
        ("MismatchSenderId", false, .otherProject, .checkProject),
    ]

    private static let ofGateways: [Entry] = [
        ("QUOTA_EXCEEDED", false, .quota, .lowerRate), ("TooManyRequests", false, .quota, .lowerRate),
        ("DeviceMessageRateExceeded", false, .quota, .lowerRate),
        ("UNAVAILABLE", false, .busy, .retryLater), ("INTERNAL", false, .busy, .retryLater),
        ("Unavailable", false, .busy, .retryLater), ("InternalServerError", false, .busy, .retryLater),
        ("ServiceUnavailable", false, .busy, .retryLater), ("Shutdown", false, .busy, .retryLater),
        ("(connection lost)", false, .connection, .retryLater),
        ("(connect failed)", false, .connection, .checkNetwork),
        ("(TLS or credential failure)", false, .credential, .checkCredential),
        ("InvalidProviderToken", false, .credential, .checkCredential),
        ("ExpiredProviderToken", false, .credential, .retryLater),
        ("BadCertificate", true, .credential, .checkCredential),
        ("THIRD_PARTY_AUTH_ERROR", false, .credential, .checkCredential),
        ("TopicDisallowed", false, .topic, .checkBundle), ("BadTopic", false, .topic, .checkBundle),
    ]

    private static let ofContents: [Entry] = [
        ("PayloadTooLarge", false, .tooLong, .shorten), ("MessageTooBig", false, .tooLong, .shorten),
        ("payload too long", true, .tooLong, .shorten),
        ("INVALID_ARGUMENT", false, .invalid, .changeContent),
        ("InvalidParameters", false, .invalid, .changeContent),
        ("BadCollapseId", false, .invalid, .changeContent),
        ("no value for {{", true, .noValue, .giveDefault),
    ]

    private static let ofProduct: [Entry] = [
        ("expired", false, .expired, .longerValidity), ("stopped", false, .stopped, .submitAgain),
        ("cancelled", false, .cancelled, .nothing), ("(child lost)", false, .lost, .retryLater),
        ("subscription disabled", false, .disabled, .nothing),
        ("in quarantine", false, .quarantined, .nothing), ("opted out", false, .optedOut, .respect),
        ("frequency cap", false, .frequencyCap, .raiseCap), ("once per user", false, .once, .nothing),
        ("its rows cannot be read", false, .unreadable, .recount),
    ]
}

extension Phrase {
    fileprivate static let gone = Phrase("The app was removed", "Die App wurde entfernt")
    fileprivate static let foreignToken = Phrase("Not a token of this app", "Kein Token dieser App")
    fileprivate static let otherApp = Phrase(
        "The token belongs to another app", "Das Token gehört zu einer anderen App")
    fileprivate static let otherProject = Phrase(
        "The token belongs to another Firebase project",
        "Das Token gehört zu einem anderen Firebase-Projekt")
    fileprivate static let quota = Phrase(
        "The gateway asks for a slower pace", "Das Gateway verlangt ein langsameres Tempo")
    fileprivate static let busy = Phrase("The gateway is busy", "Das Gateway ist überlastet")
    fileprivate static let connection = Phrase("The connection was lost", "Die Verbindung ist abgebrochen")
    fileprivate static let credential = Phrase(
        "The gateway refuses the credential", "Das Gateway lehnt die Zugangsdaten ab")
    fileprivate static let topic = Phrase(
        "The gateway refuses the app's bundle id", "Das Gateway lehnt die Bundle-ID der App ab")
    fileprivate static let tooLong = Phrase("The message is too long", "Die Nachricht ist zu lang")
    fileprivate static let invalid = Phrase(
        "The gateway rejects the content", "Das Gateway lehnt den Inhalt ab")
    fileprivate static let noValue = Phrase(
        "A placeholder has no value", "Ein Platzhalter hat keinen Wert")
    fileprivate static let expired = Phrase("The validity ended first", "Die Gültigkeit endete vorher")
    fileprivate static let stopped = Phrase("The delivery was stopped", "Die Zustellung wurde gestoppt")
    fileprivate static let cancelled = Phrase("The message was cancelled", "Die Nachricht wurde abgebrochen")
    fileprivate static let lost = Phrase(
        "The process that was sending ended", "Der sendende Prozess wurde beendet")
    fileprivate static let disabled = Phrase("Disabled", "Deaktiviert")
    fileprivate static let quarantined = Phrase("In quarantine", "In Quarantäne")
    fileprivate static let optedOut = Phrase("Opted out", "Abgemeldet")
    fileprivate static let frequencyCap = Phrase("Frequency cap", "Häufigkeitsgrenze")
    fileprivate static let once = Phrase("Once per user", "Einmal pro Person")
    fileprivate static let unreadable = Phrase("Damaged in the store", "Im Speicher beschädigt")
    fileprivate static let refused = Phrase("The gateway refused it", "Das Gateway hat abgelehnt")
}

extension Phrase {
    fileprivate static let nothing = Phrase("Nothing.", "Nichts.")
    fileprivate static let checkEnvironment = Phrase(
        "If there are many, these are test builds: register them with the app's sandbox instead. Otherwise "
            + "nothing.",
        "Wenn es viele sind, sind es Testversionen: Melden Sie diese bei der Sandbox der App an. Sonst "
            + "nichts."
    )
    fileprivate static let checkRegistration = Phrase(
        "Ask the app team whether the app sends its token unchanged.",
        "Fragen Sie das App-Team, ob die App ihr Token unverändert sendet.")
    fileprivate static let checkBundle = Phrase(
        "Compare the bundle id of the app here with that of the builds.",
        "Vergleichen Sie die Bundle-ID der App hier mit der der installierten Versionen.")
    fileprivate static let checkProject = Phrase(
        "Ask the app team which builds register with the old project, then retry.",
        "Fragen Sie das App-Team, welche Versionen noch das alte Projekt nutzen, und senden Sie dann erneut.")
    fileprivate static let lowerRate = Phrase(
        "Choose a lower rate for the next delivery, and retry these later.",
        "Wählen Sie für die nächste Zustellung eine kleinere Rate, und senden Sie diese später erneut.")
    fileprivate static let retryLater = Phrase("Retry later.", "Senden Sie später erneut.")
    fileprivate static let checkNetwork = Phrase(
        "Ask an operator to check the network to the gateway, then retry.",
        "Bitten Sie den Betrieb, das Netz zum Gateway zu prüfen, und senden Sie dann erneut.")
    fileprivate static let checkCredential = Phrase(
        "Test the app's connection and upload a valid credential, then retry.",
        "Prüfen Sie die Verbindung der App, laden Sie gültige Zugangsdaten hoch und senden Sie dann erneut.")
    fileprivate static let shorten = Phrase(
        "Shorten the texts, and submit a new delivery.",
        "Kürzen Sie die Texte, und reichen Sie eine neue Zustellung ein.")
    fileprivate static let changeContent = Phrase(
        "Correct the content that the gateway names, and submit a new delivery.",
        "Korrigieren Sie den genannten Teil des Inhalts, und reichen Sie eine neue Zustellung ein.")
    fileprivate static let giveDefault = Phrase(
        "Give the placeholder a default: {{name|there}}.",
        "Geben Sie dem Platzhalter einen Ersatzwert: {{name|Sie}}.")
    fileprivate static let longerValidity = Phrase(
        "Submit a copy with a longer validity.", "Reichen Sie eine Kopie mit längerer Gültigkeit ein.")
    fileprivate static let submitAgain = Phrase(
        "Submit a new delivery.", "Reichen Sie eine neue Zustellung ein.")
    fileprivate static let respect = Phrase(
        "Nothing: respect the person's choice.", "Nichts: Die Person hat es so gewählt.")
    fileprivate static let raiseCap = Phrase(
        "Nothing, or raise the service's frequency cap.",
        "Nichts, oder erhöhen Sie die Häufigkeitsgrenze des Dienstes.")
    fileprivate static let recount = Phrase("Recount the delivery.", "Zählen Sie die Zustellung neu.")
    fileprivate static let askOperator = Phrase(
        "Ask an operator what the code means. If its cause is corrected, retry.",
        "Fragen Sie den Betrieb nach dem Code. Ist die Ursache behoben, senden Sie erneut.")
}
