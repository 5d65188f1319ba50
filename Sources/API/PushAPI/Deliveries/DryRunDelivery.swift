internal import GatewayKit
internal import PushConfig
internal import PushConnectors
package import PushModel
internal import PushPayload
internal import PushSchedule
internal import PushStore
internal import PushWire

/// Shows the effects that submitting a delivery would have, without submitting it: which subscribers the
/// delivery would reach, which it would leave out, and what devices would receive. Documents that
/// ``SubmitDelivery`` would refuse are refused with the same text. The operation reads the whole target, page
/// by page, so a service performs one dry run at a time.
package struct DryRunDelivery: ShortOperation, UseCase {
    package static let name = "delivery.dryRun"
    package static let operation = Operation(
        .post, "\(SubmitDelivery.path)/dry-run", .read,
        "Reports the effects of submitting this document. The operation reads the whole target and stores "
            + "nothing.",
        .lengthy,
        maxBodyBytes: DeliveryDocument.maximumBytes, reach: .services)
    package static let example = SubmitDelivery.example
    package static let members: [Member<Self>] = [
        .document(\.document, schema: DeliveryDocument.schema(ConnectorCatalogue.contents)),
        .inner(\.documentName, "documentName", default: ""),
        .inner(\.userKeys, "userKeys").secret,
    ]

    /// A delivery document, in JSON.
    private var document: [UInt8] = []
    /// The name of the document in error texts.
    private var documentName = ""
    /// The recipients that replace the document's target; `nil` if the document's target is used.
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

    /// - Parameter recipients: `nil` if the document, or ``userKeys``, states the recipients.
    func view(
        of document: DeliveryDocument, to recipients: ChosenRecipients?, in operations: Operations
    ) throws -> DryRunView {
        let submission = SubmitDelivery(document: [], documentName: documentName, userKeys: userKeys)
        let checked = try submission.checked(document, to: recipients, in: operations)
        let now = operations.clock.moment().time
        let (begin, end) = checked.order.schedule.window(at: now)
        let groups = AppGroups(checked.apps)
        let analyses = try groups.firsts.map { app in
            let preview = try PayloadPreview(
                of: document.content, tracking: document.tracking, for: app, from: begin, expiresAt: end,
                operations.settings.nmac)
            let facts = MessageFilling.facts(
                in: checked.order.contentJSON, app.settings.variables, besides: app.settings.parameters)
            return AppAnalysis(preview, facts)
        }
        var looks = Dictionary(zip(groups.apps.map(\.id), groups.places.map { analyses[$0] })) { $1 }
        var releases: [WallTime: Int] = [:]
        var (unknown, found) = (0, 0)
        try operations.store.targetWalk.forEachPage(
            of: checked.order, at: now, wanting: { looks[$0]?.wanted ?? .nobody },
            withLanguage: looks.values.contains { $0.isPersonalised }, facts: { looks[$0]?.facts ?? [] },
            listing: recipients?.draft,
            {
                looks[$0.app]?.take($0)
                unknown += $0.unknown
                found += $0.found
                releases.merge($0.releases, uniquingKeysWith: +)
            })
        var forecast = try SendingForecast(operations)
        var shares: [SendingEstimate.Share] = []
        let warnings = Dictionary(grouping: PayloadCheck.warningsByApp(of: document.content, for: groups)) {
            $0.app
        }
        let apps = try checked.apps.compactMap { app -> DryRunView.OfApp? in
            guard let look = looks[app.id] else { return nil }
            let share = try forecast.share(of: app, count: look.sent)
            shares.append(share)
            return look.view(
                of: app, warnings: warnings[app.id, default: []].map(\.text), perSecond: share.perSecond)
        }
        var view = DryRunView(
            label: document.label, environments: PushEnvironment.all(of: checked.apps), apps: apps,
            warnings: checked.warnings,
            estimate: SendingEstimate(of: shares, ratePerSecond: document.schedule.ratePerSecond))
        if checked.order.schedule.calendar != nil { view.tell(releases) }
        view.list = ListMatchView(of: checked.order.target, unknown: unknown, devices: found)
        (view.listedRecipients, view.unknownRecipients) = (view.list?.listed, view.list?.unmatched)
        return view
    }
}

/// The dry run's findings about one app.
private struct AppAnalysis {
    private let preview: PayloadPreview
    /// The facts that fill the texts of messages to the app.
    let facts: Set<CollectedFact>
    private var targeted = 0
    private var quarantined = 0
    private var disabled = 0
    private var optedOut = 0
    private var capped = 0
    private var reachedElsewhere = 0
    private var tooLarge = 0
    private var shortened = 0
    private var missing: [String: Int] = [:]
    private var sample: PayloadView?
    /// The figures of each language, keyed by ``PayloadPreview/languages``; `nil` is the key for all other
    /// languages.
    private var languages: [LanguageTag?: LanguageAnalysis] = [:]

    private struct LanguageAnalysis {
        var targeted = 0
        var sample: PayloadView?
    }

    init(_ preview: PayloadPreview, _ facts: Set<CollectedFact>) {
        (self.preview, self.facts) = (preview, facts)
    }

    var isPersonalised: Bool { preview.isPersonalised }

    /// If all devices receive the same payload, one recipient is enough.
    var wanted: TargetWalk.Wanted { preview.isPersonalised ? .everybody : sample == nil ? .first : .nobody }

    mutating func take(_ page: TargetWalk.Page) {
        targeted += page.targeted
        quarantined += page.quarantined
        disabled += page.disabled
        optedOut += page.optedOut
        capped += page.capped
        reachedElsewhere += page.reachedElsewhere
        for recipient in page.recipients {
            // The caller did not ask for this device, so its token is replaced by zeros of the same length.
            let token = [UInt8](repeating: UInt8(ascii: "0"), count: recipient.token.count)
            let filling = recipient.parameters
            let language = preview.languages.isEmpty ? nil : preview.language(of: filling)
            languages[language, default: LanguageAnalysis()].targeted += 1
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

    /// The figures of each language; empty if the content has no languages.
    private var ofLanguages: [DryRunView.OfLanguage] {
        guard !preview.languages.isEmpty else { return [] }
        return ([nil] + preview.languages).map { language in
            let look = languages[language] ?? LanguageAnalysis()
            return DryRunView.OfLanguage(
                language: language?.text, targeted: look.targeted, sample: look.sample)
        }
    }

    /// The number of messages that would be passed to the gateway.
    var sent: Int { targeted - tooLarge - missing.values.reduce(0, +) }

    /// - Parameter perSecond: The throughput of earlier deliveries; `nil` if it is unknown.
    func view(of app: App, warnings: [String], perSecond: Double?) -> DryRunView.OfApp {
        let exclusions = [
            ("in quarantine", quarantined), ("disabled", disabled), ("opted out", optedOut),
            ("once per user", reachedElsewhere), ("frequency cap", capped),
        ]
        return DryRunView.OfApp(
            app: app.name, environment: app.settings.environment, targeted: targeted,
            excluded: exclusions.map(\.1).reduce(0, +),
            exclusions: exclusions.filter { $0.1 > 0 }.map { .init(reason: $0.0, count: $0.1) },
            tooLarge: tooLarge,
            // If all devices receive the same payload, only one was rendered.
            shortened: isPersonalised ? shortened : shortened > 0 ? targeted : 0,
            missingValues: missing.sorted { $0.key < $1.key }.map { .init(name: $0.key, count: $0.value) },
            sample: sample, languages: ofLanguages, warnings: warnings,
            messagesPerSecond: perSecond.map { ($0 * 1_000).rounded() / 1_000 })
    }
}

extension DeliverySchedule {
    /// Returns the time at which sending would begin if the delivery were submitted now, and the expiration
    /// that gateways would receive.
    func window(at now: WallTime) -> (begin: WallTime, expiration: WallTime) {
        let begin = max(start ?? now, now)
        let never = WallTime(secondsSince1970: 0)
        return (begin, isNowOrNever ? never : begin.advanced(bySeconds: validitySeconds))
    }
}

/// The effects that submitting a delivery would have.
package struct DryRunView: View, Equatable {
    package struct Exclusion: View, Equatable {
        /// `in quarantine`, `disabled`, `opted out`, `once per user` or `frequency cap`.
        package var reason: String
        package var count: Int
    }

    package struct MissingValue: View, Equatable {
        /// The name of a value that the content requires from its subscribers.
        package var name: String
        package var count: Int
    }

    /// The figures about the devices that receive the text of one language.
    package struct OfLanguage: View, Equatable {
        package static let about = [
            "language": "null stands for all languages that the content does not have"
        ]

        package var language: String?
        package var targeted: Int
        package var sample: PayloadView?
    }

    package struct OfApp: View, Equatable {
        package static let about =
            [
                "targeted": "messages that the delivery would prepare",
                "sample":
                    """
                the payload for the first device, with placeholders for ids and token; null if there \
                is none
                """,
                "languages":
                    """
                one entry for all languages that the content does not have, followed by one entry for each \
                language of the content; empty if the content has no languages
                """,
                "messagesPerSecond":
                    """
                the throughput of earlier deliveries; null if none was large enough, or if nothing would be \
                sent
                """,
            ].merging(figures) { $1 }

        package var app: String
        package var environment: PushEnvironment
        package var targeted: Int
        package var excluded: Int
        package var exclusions: [Exclusion]
        package var tooLarge: Int
        package var shortened: Int
        package var missingValues: [MissingValue]
        package var sample: PayloadView?
        package var languages: [OfLanguage]
        package var warnings: [String]
        package var messagesPerSecond: Double?
    }

    /// Descriptions that apply to the delivery and to each app.
    private static let figures = [
        "excluded": "subscribers in the target that the delivery would exclude",
        "tooLarge": "targeted messages that would not be sent because they exceed the gateway's size limit",
        "shortened": "targeted messages that would be shortened to the gateway's limit; see Content.shorten",
        "missingValues": "values that targeted devices lack; nothing would be sent to these devices",
    ]

    package static let about =
        [
            "listedRecipients": "user keys or tokens that the target lists; null if it lists none",
            "unknownRecipients":
                """
            listed user keys or tokens that no subscriber of the delivery's apps has; null if the target \
            lists none
            """,
            "list": "how many subscribers match the list in the target; null if it has no list",
            "estimatedSeconds":
                """
            the time to send at the throughput of earlier deliveries, within quotas and the delivery's \
            rate; null if unknown
            """,
            "estimatedBy": "what determines the time; null if it is unknown",
            "isLeast": "whether no throughput is known, so that sending may take longer than estimated",
            "releases":
                """
            the number of messages whose sending could begin at each time; null if all messages could be \
            sent at the same time
            """,
        ].merging(figures) { $1 }

    package var label: String
    /// The environments of the delivery's apps.
    package var environments: [PushEnvironment]
    /// This and the following five properties are the sums of the apps' figures.
    package var targeted: Int
    package var excluded: Int
    package var exclusions: [Exclusion]
    package var tooLarge: Int
    package var shortened: Int
    package var missingValues: [MissingValue]
    /// The number of recipients that the target lists, each counted once, and the number of those that no
    /// subscriber of the delivery's apps has; `nil` if the target lists none.
    package var listedRecipients: Int?
    package var unknownRecipients: Int?
    package var list: ListMatchView?
    package var estimatedSeconds: Int?
    /// What determines ``estimatedSeconds``; `nil` if the time is unknown.
    package var estimatedBy: EstimateBasis?
    /// Whether no throughput is known, so that the delivery may take longer than ``estimatedSeconds``.
    package var isLeast: Bool
    package var apps: [OfApp]
    /// The releases of a delivery with waves, a time of day or quiet hours, the earliest first. If the
    /// devices of a wave are chosen by share, the actual delivery chooses different devices than the dry run,
    /// but about as many.
    package var releases: [DeliveryRelease]?
    /// The time at which the sending of the last message could begin.
    package var lastReleaseAt: WallTime?
    /// The warnings that a submission gives, including those about the delivery as a whole, one line each.
    package var warnings: [String]

    /// - Parameter estimate: `nil` if the time to send is unknown.
    init(
        label: String, environments: [PushEnvironment], apps: [OfApp], warnings: [String],
        estimate: SendingEstimate?
    ) {
        self.label = label
        self.environments = environments
        self.apps = apps
        self.warnings = warnings
        targeted = apps.reduce(0) { $0 + $1.targeted }
        excluded = apps.reduce(0) { $0 + $1.excluded }
        exclusions = Self.sums(apps.flatMap(\.exclusions).map { ($0.reason, $0.count) })
            .map { Exclusion(reason: $0.0, count: $0.1) }
        tooLarge = apps.reduce(0) { $0 + $1.tooLarge }
        shortened = apps.reduce(0) { $0 + $1.shortened }
        missingValues = Self.sums(apps.flatMap(\.missingValues).map { ($0.name, $0.count) })
            .map { MissingValue(name: $0.0, count: $0.1) }
        estimatedSeconds = estimate.flatMap { Int(exactly: $0.seconds.rounded(.up)) }
        estimatedBy = estimate?.basis
        isLeast = estimate?.isLeast ?? false
    }

    mutating func tell(_ counts: [WallTime: Int]) {
        let all = counts.sorted { $0.key < $1.key }.map { DeliveryRelease(at: $0.key, count: $0.value) }
        releases = Array(all.prefix(DeliveryRelease.longestList))
        lastReleaseAt = all.last?.at
    }

    /// Returns the sum for each name, in the order in which the names first occur.
    private static func sums(_ counts: [(String, Int)]) -> [(String, Int)] {
        var sums: [(String, Int)] = []
        for (name, count) in counts {
            if let index = sums.firstIndex(where: { $0.0 == name }) {
                sums[index].1 += count
            } else {
                sums.append((name, count))
            }
        }
        return sums
    }
}
