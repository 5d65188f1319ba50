internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// What submitting a delivery would do, without doing it: whom it would reach, whom it would leave out, and
/// what devices would get. What ``SubmitDelivery`` would refuse is refused in the same words. Reads all of the
/// target, page by page, so a service does one at a time.
package struct DryRunDelivery: ShortOperation, UseCase {
    package static let name = "delivery.dryRun"
    package static let operation = Operation(
        .post, "\(SubmitDelivery.path)/dry-run", .read,
        "What submitting this document would do; nothing is stored, and all of the target is read.", .lengthy,
        maxBodyBytes: DeliveryDocument.maximumBytes)
    package static let members: [Member<Self>] = [
        .document(\.document, schema: .map(.any)), .inner(\.documentName, "documentName", default: "body"),
        .inner(\.userKeys, "userKeys"),
    ]

    /// A delivery document, JSON.
    private var document: [UInt8] = []
    /// What errors call the document.
    private var documentName = "body"
    /// Whom to send to instead of the document's target; nil: the document says it.
    package var userKeys: [String]?

    package init() {}

    package init(document: [UInt8], documentName: String, userKeys: [String]? = nil) {
        self.document = document
        self.documentName = documentName
        self.userKeys = userKeys
    }

    package func perform(in operations: Operations) throws -> DryRunView {
        let submission = SubmitDelivery(document: document, documentName: documentName, userKeys: userKeys)
        return try operations.waits.alone("a dry run") {
            try view(of: try submission.parsed(in: operations), to: nil, in: operations)
        }
    }

    /// - Parameter recipients: nil: the document, or ``userKeys``, says them.
    func view(
        of document: DeliveryDocument, to recipients: ChosenRecipients?, in operations: Operations
    ) throws -> DryRunView {
        let submission = SubmitDelivery(document: [], documentName: documentName, userKeys: userKeys)
        let checked = try submission.checked(document, to: recipients, in: operations)
        let now = operations.clock.moment().time
        let (begin, end) = checked.order.schedule.window(at: now)
        var looks: [AppID: AppLook] = [:]
        for app in checked.apps {
            let preview = try PayloadPreview(
                of: document.content, tracking: document.tracking, for: app, from: begin, expiresAt: end)
            looks[app.id] = AppLook(preview)
        }
        var releases: [WallTime: Int] = [:]
        try operations.store.targetWalk.forEachPage(
            of: checked.order, at: now, wanting: { looks[$0]?.wanted ?? .nobody },
            withLanguage: looks.values.contains { $0.isPersonalised }, listing: recipients?.draft,
            {
                looks[$0.app]?.take($0)
                releases.merge($0.releases, uniquingKeysWith: +)
            })
        let apps = try checked.apps.compactMap { app in
            try looks[app.id]?.view(
                of: app, warnings: PayloadCheck.warnings(of: document.content, for: app), in: operations)
        }
        var view = DryRunView(
            label: document.label, environments: PushEnvironment.all(of: checked.apps), apps: apps,
            warnings: checked.warnings, ratePerSecond: document.schedule.ratePerSecond)
        if checked.order.schedule.calendar != nil { view.tell(releases) }
        return view
    }
}

/// What is found of one app.
private struct AppLook {
    private let preview: PayloadPreview
    private var targeted = 0
    private var quarantined = 0
    private var disabled = 0
    private var capped = 0
    private var reachedElsewhere = 0
    private var tooLarge = 0
    private var shortened = 0
    private var missing: [String: Int] = [:]
    private var sample: PayloadView?
    /// By ``PayloadPreview/languages``, nil for all others.
    private var languages: [LanguageTag?: LanguageLook] = [:]

    private struct LanguageLook {
        var targeted = 0
        var sample: PayloadView?
    }

    init(_ preview: PayloadPreview) { self.preview = preview }

    var isPersonalised: Bool { preview.isPersonalised }

    /// Where all get the same, one is enough.
    var wanted: TargetWalk.Wanted { preview.isPersonalised ? .everybody : sample == nil ? .first : .nobody }

    mutating func take(_ page: TargetWalk.Page) {
        targeted += page.targeted
        quarantined += page.quarantined
        disabled += page.disabled
        capped += page.capped
        reachedElsewhere += page.reachedElsewhere
        for recipient in page.recipients {
            // Nobody has asked for this device: a token of zeros, as long as its own.
            let token = [UInt8](repeating: UInt8(ascii: "0"), count: recipient.token.count)
            let filling = recipient.parameters
            let language = preview.languages.isEmpty ? nil : preview.language(of: filling)
            languages[language, default: LanguageLook()].targeted += 1
            switch preview.rendered(token: token, filling: filling) {
            case .payload(let bytes):
                if preview.isShortened(token: token, filling: filling) { shortened += 1 }
                guard sample == nil || languages[language]?.sample == nil else { continue }
                let view = preview.view(of: bytes, token: token, filling: filling)
                if sample == nil { sample = view }
                if languages[language]?.sample == nil { languages[language]?.sample = view }
            case .tooLarge: tooLarge += 1
            case .missing(let name): missing[name, default: 0] += 1
            }
        }
    }

    /// None where the content has no languages.
    private var ofLanguages: [DryRunView.OfLanguage] {
        guard !preview.languages.isEmpty else { return [] }
        return ([nil] + preview.languages).map { language in
            let look = languages[language] ?? LanguageLook()
            return DryRunView.OfLanguage(
                language: language?.text, targeted: look.targeted, sample: look.sample)
        }
    }

    func view(of app: App, warnings: [String], in operations: Operations) throws -> DryRunView.OfApp {
        let exclusions = [
            ("in quarantine", quarantined), ("disabled", disabled), ("once per user", reachedElsewhere),
            ("frequency cap", capped),
        ]
        let rate = operations.engine.isRunning ? try operations.store.deliveries.recentRate(of: app.id) : nil
        return DryRunView.OfApp(
            app: app.name, targeted: targeted, excluded: exclusions.map(\.1).reduce(0, +),
            exclusions: exclusions.filter { $0.1 > 0 }.map { .init(reason: $0.0, count: $0.1) },
            tooLarge: tooLarge,
            // Where all get the same, one was looked at.
            shortened: isPersonalised ? shortened : shortened > 0 ? targeted : 0,
            missingValues: missing.sorted { $0.key < $1.key }.map { .init(name: $0.key, count: $0.value) },
            sample: sample, languages: ofLanguages, warnings: warnings,
            messagesPerSecond: rate.map { ($0 * 1_000).rounded() / 1_000 })
    }
}

extension DeliverySchedule {
    /// When sending would begin if this were submitted now, and the expiration that gateways would receive.
    func window(at now: WallTime) -> (begin: WallTime, expiration: WallTime) {
        let begin = max(start ?? now, now)
        let never = WallTime(secondsSince1970: 0)
        return (begin, isNowOrNever ? never : begin.advanced(bySeconds: validitySeconds))
    }
}
