/// One request of a run. The same seed and number always result in the same request.
struct FuzzRequest: Sendable {
    enum Kind: Int, CaseIterable, Sendable {
        case registration, report, call
        /// A request that is malformed as HTTP.
        case torn
        /// A correct request, which must get the correct answer.
        case honest

        var name: String {
            switch self {
            case .registration: "registrations"
            case .report: "reports"
            case .call: "API calls"
            case .torn: "broken as HTTP"
            case .honest: "honest"
            }
        }
    }

    /// The purpose of a correct request.
    enum WorkItem: Sendable {
        case register(Int)
        /// A report about one of the messages in ``FuzzCorpus/honest``.
        case report(Int)
        case look
    }

    let number: Int
    let kind: Kind
    let bytes: [UInt8]
    /// The offset of the body in the bytes of a well-framed request.
    private(set) var head = 0
    var workItem: WorkItem?
    /// Whether the answer has no body, because the request's method is HEAD.
    var isHead = false

    /// The shares per 100 requests, in the order of ``Kind``.
    private static let shares = [35, 25, 22, 16, 2]

    init(_ number: Int, _ corpus: FuzzCorpus, _ mutation: ByteMutation) {
        var chance = SplitMix64(seed: corpus.seed, of: number)
        var (share, kind) = (chance.below(100), 0)
        while share >= Self.shares[kind] {
            share -= Self.shares[kind]
            kind += 1
        }
        self.number = number
        self.kind = Kind(rawValue: kind) ?? .honest
        switch self.kind {
        case .honest:
            let (workItem, message) = Self.honest(number, corpus, &chance)
            self.workItem = workItem
            bytes = message.written(host: corpus.host)
        case .torn: bytes = TornRequest.bytes(corpus, mutation, &chance)
        default:
            let message = Self.mutated(self.kind, corpus, mutation, &chance)
            isHead = message.method == "HEAD"
            bytes = message.written(host: corpus.host)
            head = bytes.count - message.body.count
        }
    }

    var body: ArraySlice<UInt8> { bytes[head...] }

    private static func honest(
        _ number: Int, _ corpus: FuzzCorpus, _ chance: inout SplitMix64
    ) -> (WorkItem, LoadRequest) {
        switch chance.below(3) {
        case 0: return (.register(number), corpus.honestForm(number).request)
        case 1:
            let place = chance.below(corpus.honest.count)
            return (.report(place), LoadRequest("GET", "/r/", query: corpus.honest[place].query(tag: 1)))
        default: return (.look, corpus.call("GET", "/deliveries/\(corpus.honest[0].delivery)"))
        }
    }

    // MARK: Mutated, and framed well

    /// Returns a request before any change.
    static func base(
        _ kind: Kind, _ corpus: FuzzCorpus, apps: [String] = FuzzCorpus.fuzzedApps, _ chance: inout SplitMix64
    ) -> LoadRequest {
        switch kind {
        case .registration: corpus.form(of: apps, &chance).request
        case .report:
            LoadRequest("GET", "/r/", query: chance.one(of: corpus.fuzzed).query(tag: 1 + chance.below(2)))
        default: corpus.call(&chance)
        }
    }

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]

    private static func mutated(
        _ kind: Kind, _ corpus: FuzzCorpus, _ mutation: ByteMutation, _ chance: inout SplitMix64
    ) -> LoadRequest {
        var message = base(kind, corpus, &chance)
        let part = chance.below(100)
        // Some requests stay unchanged. Their answers, and their effects on the store, are counted together
        // with the results of mutated requests.
        guard part >= 4 else { return message }
        if part < 8 {
            message.method = chance.one(of: methods)
        } else if part < 14 {
            message.path = "/" + changed(String(message.path.dropFirst()), mutation, isTarget: true, &chance)
        } else if part < 20, !message.headers.isEmpty {
            let place = chance.below(message.headers.count)
            message.headers[place].value = changed(
                message.headers[place].value, mutation, isTarget: false, &chance)
        } else if message.body.isEmpty {
            message.query = changed(message.query ?? "", mutation, isTarget: true, &chance)
        } else {
            mutation.apply(to: &message.body, by: &chance)
        }
        return message
    }

    private static func changed(
        _ text: String, _ mutation: ByteMutation, isTarget: Bool, _ chance: inout SplitMix64
    ) -> String {
        var bytes = Array(text.utf8)
        mutation.apply(to: &bytes, by: &chance)
        return LoadRequest.visible(bytes, isTarget: isTarget)
    }
}
