internal import PushModel

/// Keeps what outcomes say of accounts and tokens, within the transaction that records them.
struct TrustLedger {
    private let db: any Session
    private let now: WallMoment
    private let holding: any Statement
    private var accounts: [AccountMark: Account] = [:]

    private struct Account {
        var id: Int64
        var trust: AccountTrust
        var accepted = 0
        var aboutTokens = 0
        var held = 0
        /// In this transaction.
        var hasBegun = false
    }

    init(at now: WallMoment, _ db: any Session) throws {
        self.db = db
        self.now = now
        holding = try db.statement(HotSQL.holdVerdict)
        holding.bind(now.millisecondsSince1970, at: 6)
    }

    mutating func count(_ answers: [AccountAnswers], continuing: (AccountMark) -> Bool) throws {
        for answer in answers {
            var account = try account(answer.account)
            if !continuing(answer.account), !account.hasBegun { account.trust.beginAnew() }
            account.hasBegun = true
            account.accepted += answer.accepted
            account.aboutTokens += answer.aboutTokens
            accounts[answer.account] = account
        }
    }

    /// Keeps the verdict that came with an answer to a message of this delivery.
    mutating func hold(
        _ verdict: TokenVerdict, from record: MessageRecord, of delivery: DeliveryID, about subscription: SubscriptionID
    ) throws {
        var account = try account(verdict.account)
        holding.bind(account.id, at: 1)
        holding.bind(record.message.rawValue, at: 2)
        holding.bind(delivery.rawValue, at: 3)
        holding.bind(verdict.gravity.rawValue, at: 4)
        holding.bind(record.change.providerReason, at: 5)
        holding.bind(verdict.deadSince?.millisecondsSince1970, at: 7)
        holding.bind(subscription.rawValue, at: 8)
        account.held += try holding.change()
        accounts[verdict.account] = account
    }

    /// Writes what changed. - Returns: the accounts about which somebody has to decide, by mark.
    mutating func write() throws -> [AccountTrust] {
        var undecided: [AccountTrust] = []
        for (mark, account) in accounts {
            var trust = account.trust
            trust.count(accepted: account.accepted, aboutTokens: account.aboutTokens)
            if trust != account.trust || account.held > 0 {
                let update = try db.statement(HotSQL.countAnswers)
                update.bind(account.id, at: 1)
                update.bind(Int64(trust.accepted), at: 2)
                update.bind(Int64(trust.aboutTokens), at: 3)
                update.bind(trust.hasAccepted, at: 4)
                update.bind(Int64(account.held), at: 5)
                update.bind(Int64(trust.acceptedBefore), at: 6)
                update.bind(Int64(trust.aboutTokensBefore), at: 7)
                try update.run()
            }
            guard trust.needsDecision || account.held > 0, let (_, trust) = try find(mark) else { continue }
            if trust.needsDecision { undecided.append(trust) }
        }
        return undecided.sorted { $0.mark.rawValue < $1.mark.rawValue }
    }

    private func account(_ mark: AccountMark) throws -> Account {
        if let known = accounts[mark] { return known }
        if let (id, trust) = try find(mark) { return Account(id: id, trust: trust) }
        let id = try db.insert(
            "INSERT INTO account_trust (mark, first_seen_ms) VALUES (?1, ?2)",
            [mark.rawValue, now.millisecondsSince1970])
        return Account(id: id, trust: AccountTrust(mark: mark, firstSeen: now))
    }

    private func find(_ mark: AccountMark) throws -> (Int64, AccountTrust)? {
        try db.row(sql: HotSQL.trust, arguments: [mark.rawValue]).map { (try $0["id"], try AccountTrust(row: $0)) }
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
