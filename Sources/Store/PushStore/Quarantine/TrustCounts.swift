internal import PushModel

/// Records what outcomes report about accounts and tokens, within the transaction that records the outcomes.
struct TrustCounts {
    private let db: any Session
    private let now: WallMoment
    private var accounts: [AccountKey: Account] = [:]
    private var verdicts = VerdictGroups()
    /// The mark and the number of the last verdict's account. Most consecutive verdicts have the same
    /// account.
    private var holding: (mark: AccountKey, id: Int64)?
    /// The account that was requested in advance. The answer to this query arrives together with those to
    /// other statements.
    private var asked: (mark: AccountKey, statement: any Statement)?

    private struct Account {
        var id: Int64
        var trust: AccountTrust
        /// The answers in this transaction.
        var answers: AccountAnswers

        init(id: Int64, trust: AccountTrust) {
            self.id = id
            self.trust = trust
            answers = AccountAnswers(account: trust.mark)
        }
    }

    init(at now: WallMoment, _ db: any Session) {
        self.db = db
        self.now = now
    }

    /// - Parameter mark: The account that will be needed, most likely the only one.
    mutating func ask(for mark: AccountKey) throws {
        let statement = try db.statement(HotSQL.trust)
        statement.bind(mark.rawValue, at: 1)
        try statement.start()
        asked = (mark, statement)
    }

    mutating func count(_ answers: [AccountAnswers]) throws {
        for answer in answers {
            var account = try account(answer.account)
            account.answers += answer
            accounts[answer.account] = account
        }
    }

    /// Keeps, until ``write()``, the verdict that came with an answer to a message of this delivery. Two
    /// verdicts about one subscription are both kept; which of them counts is decided when they are believed.
    mutating func hold(
        _ verdict: TokenVerdict, from record: MessageRecord, of delivery: DeliveryID,
        about subscription: SubscriptionID
    ) throws {
        let id = try number(verdict.account)
        verdicts.add(
            VerdictEntry(subscription: subscription.rawValue, deadSince: verdict.deadSince),
            to: VerdictHead(
                account: id, delivery: delivery, gravity: verdict.gravity.rawValue,
                reason: record.change.providerReason, decided: now))
    }

    private mutating func number(_ mark: AccountKey) throws -> Int64 {
        if let holding, holding.mark == mark { return holding.id }
        let account = try account(mark)
        accounts[mark] = account
        holding = (mark, account.id)
        return account.id
    }

    /// Writes the changes.
    /// - Returns: The accounts that need a decision, by mark.
    mutating func write() throws -> [AccountTrust] {
        let held = try writeVerdicts()
        var undecided: [AccountTrust] = []
        for (mark, account) in accounts {
            var trust = account.trust
            let held = held[account.id] ?? 0
            trust.evidence.hold(verdicts: held)
            trust.count(account.answers)
            if trust != account.trust || held > 0 {
                let evidence = trust.evidence
                let update = try db.statement(HotSQL.countAnswers)
                update.bind(account.id, at: 1)
                update.bind(Int64(evidence.accepted), at: 2)
                update.bind(Int64(evidence.aboutTokens), at: 3)
                update.bind(trust.hasAccepted, at: 4)
                update.bind(Int64(held), at: 5)
                update.bind(evidence.isProved, at: 6)
                update.bind(Int64(evidence.storm), at: 7)
                update.bind(Int64(evidence.run.aboutTokens), at: 8)
                update.bind(Int64(evidence.run.answers), at: 9)
                update.bind(Int64(evidence.doubt), at: 10)
                try update.run()
            }
            guard trust.needsDecision || held > 0, var (_, trust) = try find(mark) else { continue }
            try trust.findDevices(db)
            if trust.needsDecision { undecided.append(trust) }
        }
        return undecided.sorted { $0.mark.rawValue < $1.mark.rawValue }
    }

    /// - Returns: The number of verdicts, by account number.
    private mutating func writeVerdicts() throws -> [Int64: Int] {
        var held: [Int64: Int] = [:]
        let table = VerdictTable(db: db)
        for group in verdicts.groups {
            for entries in VerdictRow.cut(group.entries) { try table.insert(group.head, entries) }
            held[group.head.account, default: 0] += group.entries.count
        }
        verdicts = VerdictGroups()
        return held
    }

    private mutating func account(_ mark: AccountKey) throws -> Account {
        if let known = accounts[mark] { return known }
        let answer = asked
        asked = nil
        let found = try answer?.mark == mark ? answer?.statement.firstRow().map(Self.read) : find(mark)
        if let (id, trust) = found { return Account(id: id, trust: trust) }
        let id = try db.insert(
            "INSERT INTO account_trust (mark, first_seen_ms) VALUES (?1, ?2)",
            [mark.rawValue, now.millisecondsSince1970])
        return Account(id: id, trust: AccountTrust(mark: mark, firstSeen: now))
    }

    private func find(_ mark: AccountKey) throws -> (Int64, AccountTrust)? {
        try db.row(sql: HotSQL.trust, arguments: [mark.rawValue]).map(Self.read)
    }

    private static func read(_ row: Row) throws -> (Int64, AccountTrust) {
        (try row["id"], try AccountTrust(row: row))
    }
}

extension MessageRecord.Change {
    fileprivate var providerReason: String {
        switch self {
        case .sent: ""
        case .failed(_, _, let word): word
        case .retrying(_, _, _, let word): word
        case .cancelled(_, let why): why
        case .excluded(_, let why): why
        }
    }
}
