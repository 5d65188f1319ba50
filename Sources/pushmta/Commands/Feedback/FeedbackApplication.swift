internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// What a feedback service tells on its way into the store.
///
/// **Promises.** At once, in transactions of bounded size: the service forgets what it has told, so nothing waits in
/// memory. **Failures.** The first one is kept in ``failure``, and nothing more is applied.
struct FeedbackApplication {
    private let writer: FeedbackWriter
    private let app: AppID
    private let printsChanges: Bool
    private var courtesy: Courtesy
    private(set) var totals = FeedbackTotals()
    private(set) var failure: (any Error)?

    init(writer: FeedbackWriter, app: AppID, storePath: String, printsChanges: Bool) {
        self.writer = writer
        self.app = app
        self.printsChanges = printsChanges
        courtesy = Courtesy(storePath: storePath)
    }

    mutating func take(_ tuples: [FeedbackTuple]) {
        var rest = tuples[...]
        while failure == nil, !rest.isEmpty {
            let chunk = rest.prefix(FeedbackWriter.tuplesPerCall)
            rest = rest.dropFirst(chunk.count)
            do { try apply(chunk) } catch { failure = error }
        }
    }

    private mutating func apply(_ tuples: ArraySlice<FeedbackTuple>) throws {
        let step = try writer.apply(
            tuples.map { (token: $0.token, since: $0.time) }, to: app, at: Clocks.moment())
        let told = step.findings.filter { $0.result == .disabled || $0.result == .registeredAgain }
        totals.count(step.findings, keeping: printsChanges ? [] : told)
        if printsChanges { try StandardOutput.lines(told.map(\.description)) }
        courtesy.pause()
    }
}

/// What became of the devices that a feedback service told of.
struct FeedbackTotals {
    private(set) var told = 0
    private(set) var disabled = 0
    private(set) var registeredAgain = 0
    private(set) var excludedAlready = 0
    private(set) var unknown = 0
    private var shown: [FeedbackFinding] = []

    /// - Parameter keeping: those that will be shown at the end.
    mutating func count(_ findings: [FeedbackFinding], keeping: [FeedbackFinding]) {
        told += findings.count
        for finding in findings {
            switch finding.result {
            case .disabled: disabled += 1
            case .registeredAgain: registeredAgain += 1
            case .excludedAlready: excludedAlready += 1
            case .unknownToken: unknown += 1
            }
        }
        shown += keeping
    }

    var text: String {
        let rest = [
            "\(disabled) disabled", "\(registeredAgain) kept because they registered again",
            "\(excludedAlready) excluded already", "\(unknown) unknown",
        ]
        return "\(Numerals.count(told, "device")): \(rest.joined(separator: ", "))"
    }

    func json(app: String, isComplete: Bool) -> JSONValue {
        [
            "app": .string(app), "complete": .boolean(isComplete), "told": .integer(told),
            "disabled": .integer(disabled), "registeredAgain": .integer(registeredAgain),
            "excludedAlready": .integer(excludedAlready), "unknown": .integer(unknown),
            "changes": .array(shown.map { finding in
                [
                    "token": .string(finding.token), "disabled": .boolean(finding.result == .disabled),
                    "goneSince": .string(finding.since.utcText), "registeredAt": .string(finding.registered?.utcText),
                ]
            }),
        ]
    }
}
