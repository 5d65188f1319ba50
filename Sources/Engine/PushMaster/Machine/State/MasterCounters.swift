package import PushModel
package import PushWire

/// The machine's counts for ``MasterFigures``. Sums outlive their accounts: two accounts with the same name,
/// which exist after a credential was renewed, are counted as one account.
package struct MasterCounters: Sendable {
    package private(set) var figures = MasterFigures()
    private var places: [AccountID: Int] = [:]
    private var placesByName: [String: Int] = [:]

    package init() {}

    package mutating func count(
        _ answer: MasterFigures.Answer, _ count: Int = 1, of account: AccountID,
        in accounts: [AccountID: AccountDefinition]
    ) {
        let place = place(of: account, accounts)
        figures.accounts[place].answers[answer.place] &+= UInt64(count)
    }

    package mutating func count(reason word: String, of answer: MasterFigures.Answer) {
        var reason = MasterFigures.Reason(answer: answer, word: word.printable(atMost: 64))
        if figures.reasons[reason] == nil, figures.reasons.count >= MasterFigures.maxReasons {
            reason.word = MasterFigures.others
        }
        figures.reasons[reason, default: 0] &+= 1
    }

    package mutating func add(_ beat: AccountBeat, in accounts: [AccountID: AccountDefinition]) {
        guard !(beat.waits.isEmpty && beat.answers.isEmpty) else { return }
        let place = place(of: beat.account, accounts)
        figures.accounts[place].waits.add(beat.waits)
        figures.accounts[place].gateway.add(beat.answers)
    }

    package mutating func recorded(_ latency: CommitLatency) {
        figures.recorded.add(nanoseconds: latency.nanoseconds, count: latency.outcomes)
    }

    package mutating func count(_ fault: EngineFault) {
        figures.engineFaults[fault.boundary.rawValue, default: 0] &+= 1
    }

    package mutating func childStarted() { figures.childrenStarted &+= 1 }

    package mutating func childEnded(_ ending: ChildEnding?) {
        let how = ending.map { $0.isClean ? "orderly" : $0.isCrash ? "crashed" : "killed" } ?? "not_started"
        figures.childrenEnded[how, default: 0] &+= 1
    }

    /// Forgets which sums belong to the account, because its number is not used again. The sums remain.
    package mutating func forget(_ account: AccountID) { places[account] = nil }

    private mutating func place(
        of account: AccountID, _ accounts: [AccountID: AccountDefinition]
    ) -> Int {
        if let place = places[account] { return place }
        var name = accounts[account]?.name ?? ""
        let isTooMany = placesByName[name] == nil && placesByName.count >= MasterFigures.maxAccounts
        if name.isEmpty || isTooMany {
            name = MasterFigures.others
        }
        let place = placesByName[name] ?? figures.accounts.count
        if place == figures.accounts.count { figures.accounts.append(MasterFigures.Account(name: name)) }
        placesByName[name] = place
        places[account] = place
        return place
    }
}

extension MasterFigures.Answer {
    fileprivate var place: Int {
        switch self {
        case .accepted: 0
        case .rejected: 1
        case .undecided: 2
        case .neverSent: 3
        case .tooLarge: 4
        case .missingParameter: 5
        }
    }
}

extension Outcome {
    /// The category in which the outcome is counted, and the reason if one was given.
    var counted: (answer: MasterFigures.Answer, reason: String?) {
        switch self {
        case .accepted: (.accepted, nil)
        case .rejected(_, let reason): (.rejected, ReasonText.word(of: reason))
        case .undecided(_, let reason): (.undecided, ReasonText.word(of: reason))
        case .neverSent(_, let reason): (.neverSent, ReasonText.word(of: reason))
        case .tooLarge: (.tooLarge, nil)
        case .missing: (.missingParameter, nil)
        }
    }
}
