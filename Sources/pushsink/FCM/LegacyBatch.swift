/// A legacy request that is answered 200: a result for each of its tokens, in their order.
struct LegacyBatch {
    enum Result: Equatable {
        case accepted(Int, canonical: String?)
        case error(String)
    }

    let isTopic: Bool
    let dryRun: Bool
    /// Where the tokens stand in the body.
    var tokens: [Range<Int>] = []
    var results: [Result] = []
    /// By rule one result is missing.
    var isShort = false

    init(isTopic: Bool, dryRun: Bool) {
        self.isTopic = isTopic
        self.dryRun = dryRun
    }

    func json() -> String {
        if isTopic, let only = results.first {
            switch only {
            case .accepted(let number, _): return #"{"message_id":\#(number)}"#
            case .error(let error): return #"{"error":"\#(error)"}"#
            }
        }
        var canonicals = 0
        var list = ""
        for result in isShort ? results.dropLast() : results[...] {
            if !list.isEmpty { list += "," }
            switch result {
            case .accepted(let number, let canonical):
                list += dryRun ? #"{"message_id":"fake_message_id""# : #"{"message_id":"0:\#(number)""#
                if let canonical {
                    canonicals += 1
                    list += #","registration_id":\#(JSONText.quoted(canonical))"#
                }
                list += "}"
            case .error(let error): list += #"{"error":"\#(error)"}"#
            }
        }
        // The counts are of all, also where a result is missing: that is what makes the answer a wrong one.
        let failure = results.count - results.filter { if case .accepted = $0 { true } else { false } }.count
        return #"{"multicast_id":\#(UInt64.random(in: 1...(1 << 62))),"success":\#(results.count - failure),"#
            + #""failure":\#(failure),"canonical_ids":\#(canonicals),"results":[\#(list)]}"#
    }

    func count(in counts: SinkCounts, _ body: Bytes) {
        for (index, result) in results.enumerated() {
            switch result {
            case .accepted(_, let canonical):
                if canonical != nil { counts.canonicalIDs += 1 }
                if dryRun {
                    counts.validatedOnly += 1
                } else {
                    counts.took(isTopic ? nil : token(index, body))
                }
            case .error(let error): counts.resultErrors[error, default: 0] += 1
            }
        }
    }

    /// Empty where the request names none.
    func token(_ index: Int, _ body: Bytes) -> Bytes {
        guard tokens.indices.contains(index), tokens[index].upperBound <= body.count else {
            return Bytes(start: nil, count: 0)
        }
        return Bytes(rebasing: body[tokens[index]])
    }
}
