internal import PushModel
internal import PushQueue

/// A selection of the next subscriptions of a target: one chunk, within the caller's transaction.
struct TargetSelection {
    struct Member {
        var subscription: Int64
        /// The subscription's `disabled` value: ``StateCode/valid``, or the reason why the subscription must
        /// be excluded.
        var disabled: Int64
        /// Whether the subscription has reached its service's frequency cap.
        var isCapped = false
        /// Whether the subscription's user receives the message on another device.
        var isReachedElsewhere = false
        /// The index of the member's values in ``TargetSelection/variables``; negative if there are none.
        var variables: Int32 = -1

        /// Whether the message is sent to this member.
        var isMeant: Bool { disabled == StateCode.valid && !isCapped && !isReachedElsewhere }

        /// - Parameter values: The values to which the index refers.
        func variables(in values: [[UInt8]]) -> [UInt8] { variables < 0 ? [] : values[Int(variables)] }
    }

    private let plan: PreparationPlan
    private let app: AppID
    private let range: SubscriptionRange
    /// The maximum number of subscriptions to take or examine.
    private let limit: Int

    /// The number of subscriptions that were examined, including those that are not members, as far as it is
    /// known.
    private(set) var looked = 0

    /// The number of listed values that no subscription of any of the plan's apps has. They are counted with
    /// the last app, if the plan requires it.
    private(set) var unknown = 0

    /// The number of subscriptions that were found by the values of a list, including those that are not
    /// members because of other conditions.
    private(set) var found = 0

    /// The members, in the order of the target.
    var members: [Member] = []
    /// The values that the target supplies for some of its listed recipients.
    private(set) var variables: [[UInt8]] = []
    /// The position at which the next chunk continues.
    private(set) var next: PreparationPlan.Cursor

    init(_ plan: PreparationPlan, app: AppID, limit: Int) {
        self.limit = limit
        self.plan = plan
        self.app = app
        range = SubscriptionRange(app)
        next = plan.cursor
    }

    mutating func select(_ db: any Session) throws {
        switch plan.target {
        case .all: try selectAll(db)
        case .parameters: try selectByParameters(plan.parameters, db)
        case .userKeys: try selectByUserKeys(db)
        case .tokens: try selectByTokens(db)
        case .detailed:
            guard let details = plan.details else { throw UnreadableValue() }
            // If an earlier delivery has lost its messages, it is unknown whom the target leaves out.
            if let groups = plan.groups, !groups.areKnown {
                next.advanceApp()
            } else {
                try selectBase(of: details, db)
                if details.isListed { found = members.count }
                try refine(by: details, db)
            }
        }
        looked = max(looked, members.count)
    }

    private mutating func selectBase(of details: TargetDetails, _ db: any Session) throws {
        switch details.chosenBase {
        case .all: try selectAll(db)
        case .parameters:
            guard let parameters = details.parameters else { throw UnreadableValue() }
            try selectByParameters(try StoredJSON.encode(parameters), db)
        case .userKeys: try selectByUserKeys(db)
        case .tokens: try selectByTokens(db)
        case .matching:
            guard let expression = details.expression else { throw UnreadableValue() }
            try selectMatching(expression, db)
        case .recipients, .openers, .nonOpeners:
            guard let source = details.source, let group = SentGroup(rawValue: details.chosenBase.rawValue)
            else { throw UnreadableValue() }
            try select(group, of: DeliveryID(rawValue: source), db)
        case .combined: try selectCombined(db)
        }
    }

    private mutating func select(_ group: SentGroup, of source: DeliveryID, _ db: any Session) throws {
        let messages = SentMessages(of: source, to: app, group)
        (members, looked, next) = try messages.select(from: next, limit: limit, db)
    }

    /// Selects the subscriptions of the set that leads the search. ``refine(by:_:)`` applies the other sets.
    private mutating func selectCombined(_ db: any Session) throws {
        switch plan.driver {
        case .everybody, nil: try selectAll(db)
        case .sent(let group, let source): try select(group, of: source, db)
        case .list(.userKeys, _): try selectByUserKeys(db)
        case .list(.tokens, _): try selectByTokens(db)
        }
    }

    /// Removes members that the base of the target selects but that the target does not include.
    private mutating func refine(by details: TargetDetails, _ db: any Session) throws {
        looked = max(looked, members.count)
        if let sample = details.sample {
            members.removeAll { !sample.contains(SubscriptionID(rawValue: $0.subscription)) }
        }
        guard !members.isEmpty else { return }
        let exclusions =
            try plan.exclusions ?? TargetExclusions(details, of: plan.delivery, db)
        members = try exclusions.remaining(of: members, db)
        if var filter = try TargetFilter(plan, of: app, db) {
            members = try filter.remaining(of: members, db)
        }
        guard details.isOncePerUser == true, !members.isEmpty else { return }
        var users = try OncePerUser(plan, details, exclusions, db)
        try users.mark(&members, db)
    }

    private mutating func selectAll(_ db: any Session) throws {
        let sql = HotSQL.prepareAll(db.dialect)
        let taken =
            switch db.dialect {
            case .sqlite: try takeRunOfFile(db) ?? take(sql, upTo: range.last, db)
            case .postgreSQL: try takeRun(db) ?? takePacked(sql, db)
            }
        if taken < limit { next.advanceApp() } else { next.subscription = lastSubscription }
    }

    /// Selects subscriptions by parameters. Few may match, so the limit applies to the number of
    /// subscriptions examined.
    /// - Parameter wanted: A JSON object of texts.
    private mutating func selectByParameters(_ wanted: String?, _ db: any Session) throws {
        let end = try chunkEnd(upTo: range.last, db)
        _ = try take(HotSQL.prepareByParameters(db.dialect), upTo: end ?? range.last, db) {
            $0.bind(wanted, at: 4)
        }
        guard let end else { return next.advanceApp() }
        next.subscription = end
        looked = limit
    }

    /// Selects subscriptions by conditions that only ``TargetMatcher`` can evaluate. Facts about devices are
    /// read only if the conditions use them.
    private mutating func selectMatching(_ expression: TargetExpression, _ db: any Session) throws {
        var matcher = TargetMatcher(
            expression, facts: try expression.knownFacts(of: app, db), from: plan.begin)
        let hasFacts = !matcher.facts.isEmpty
        let statement = try db.statement(
            hasFacts
                ? HotSQL.prepareByFacts(
                    matcher.facts, withParameters: matcher.readsParameters, db.dialect)
                : HotSQL.prepareByExpression)
        defer { statement.reset() }
        statement.bind(after, at: 1)
        statement.bind(range.last, at: 2)
        statement.bind(Int64(limit), at: 3)
        var last: Int64 = 0
        while try statement.next() {
            looked += 1
            last = statement.integer(0)
            let parameters = unsafe statement.bytes(2)
            matcher.read(unsafe parameters.span)
            if hasFacts { matcher.note(statement, from: 3) }
            guard matcher.isMatch else { continue }
            members.append(Member(subscription: last, disabled: statement.integer(1)))
        }
        if looked < limit { next.advanceApp() } else { next.subscription = last }
    }

    private mutating func selectByUserKeys(_ db: any Session) throws {
        try selectListed(HotSQL.prepareByUserKey(db.dialect), db) { $0.sqlValue }
    }

    private mutating func selectByTokens(_ db: any Session) throws {
        try selectListed(HotSQL.prepareByToken, db) { StoredToken.value(of: $0) }
    }

    /// Selects at most one page of listed values. A single value may have more subscriptions than a chunk can
    /// take.
    private mutating func selectListed(
        _ sql: String, _ db: any Session, stored: (String) -> SQLValue
    ) throws {
        guard let page = try ListedPage.read(next.page, of: plan, db) else { return next.advanceApp() }
        var bytes = 0
        while next.value < page.values.count {
            let own = page.variables.map { Array($0[next.value]) } ?? []
            var room = limit - members.count
            if !own.isEmpty { room = min(room, (Self.maxBytes - bytes) / own.count) }
            // Values that do not fit in the rest of a chunk begin the next one.
            guard room > 0 else { return }
            let (before, isNew) = (members.count, next.subscription == 0)
            let value = stored(page.values[next.value])
            let app = app.rawValue
            let taken = try take(sql, upTo: range.last, atMost: room, db) {
                $0.bind(value, at: 4)
                $0.bind(app, at: 5)
            }
            if taken == room { next.subscription = lastSubscription } else { next.advanceValue() }
            if taken == 0, isNew, try isUnknown(value, sql, db) { unknown += 1 }
            guard !own.isEmpty, taken > 0 else { continue }
            for place in before..<members.count { members[place].variables = Int32(variables.count) }
            variables.append(own)
            bytes += taken * own.count
        }
        next.advancePage()
    }

    /// Reports whether no other app has a subscription with this value either.
    private func isUnknown(_ value: SQLValue, _ sql: String, _ db: any Session) throws -> Bool {
        guard plan.countsUnknown, plan.driver == nil, plan.cursor.app == plan.apps.count - 1 else {
            return false
        }
        for other in plan.apps where other != app {
            let range = SubscriptionRange(other)
            let statement = try db.statement(sql)
            defer { statement.reset() }
            statement.bind(range.beforeFirst, at: 1)
            statement.bind(range.last, at: 2)
            statement.bind(Int64(1), at: 3)
            statement.bind(value, at: 4)
            statement.bind(other.rawValue, at: 5)
            if try statement.next() { return false }
        }
        return true
    }

    /// The maximum size of the values for a chunk's members, so that no transaction is long.
    private static let maxBytes = 1 << 20

    private var after: Int64 { max(next.subscription, range.beforeFirst) }

    private var lastSubscription: Int64 { members.last?.subscription ?? 0 }

    /// Returns the last subscription of a full chunk, which takes or examines as many subscriptions as the
    /// limit allows; `nil` if there are fewer subscriptions up to `last`.
    private func chunkEnd(upTo last: Int64, _ db: any Session) throws -> Int64? {
        try db.value(Int64.self, sql: HotSQL.chunkEnd, arguments: [after, last, limit - 1])
    }

    /// Takes as many consecutive subscriptions as a chunk can take. A row that is only stepped over or
    /// examined costs half as much as one that is returned.
    /// - Returns: The number of subscriptions that were taken; `nil` if there are gaps between their numbers
    ///   or fewer than a full chunk remain.
    private mutating func takeRunOfFile(_ db: any Session) throws -> Int? {
        let first = after
        let (last, isTooFar) = first.addingReportingOverflow(Int64(limit))
        guard !isTooFar, last <= range.last, try chunkEnd(upTo: last, db) != nil else { return nil }
        let disabled = try db.statement(HotSQL.disabledInRange)
        defer { disabled.reset() }
        disabled.bind(first, at: 1)
        disabled.bind(last, at: 2)
        members = (first + 1...last).map { Member(subscription: $0, disabled: StateCode.valid) }
        while try disabled.next() {
            members[Int(disabled.integer(0) - first - 1)].disabled = disabled.integer(1)
        }
        return members.count
    }

    /// - Returns: The number of subscriptions that were taken; `nil` if there are gaps between their numbers.
    private mutating func takeRun(_ db: any Session) throws -> Int? {
        let statement = try db.statement(HotSQL.prepareRun)
        defer { statement.reset() }
        statement.bind(after, at: 1)
        statement.bind(range.last, at: 2)
        statement.bind(Int64(limit), at: 3)
        guard try statement.next() else { throw UnreadableValue() }
        let (count, last) = (statement.integer(0), statement.integer(1))
        guard count > 0 else { return 0 }
        guard last - after == count else { return nil }
        let disabled = unsafe statement.bytes(2)
        members = (after + 1...last).map { Member(subscription: $0, disabled: StateCode.valid) }
        Self.mark(&members, unsafe disabled.span.bytes)
        return members.count
    }

    /// - Returns: The number of subscriptions taken.
    private mutating func takePacked(_ sql: String, _ db: any Session) throws -> Int {
        let statement = try db.statement(sql)
        defer { statement.reset() }
        statement.bind(after, at: 1)
        statement.bind(range.last, at: 2)
        statement.bind(Int64(limit), at: 3)
        guard try statement.next() else { return 0 }
        let (numbers, disabled) = unsafe (statement.bytes(0), statement.bytes(1))
        members = Self.members(unsafe numbers.span.bytes, disabled: unsafe disabled.span.bytes)
        return members.count
    }

    /// - Parameters:
    ///   - numbers: Numbers of eight bytes each, in ascending order.
    ///   - disabled: Pairs of such numbers, in the same order: each contains one of the subscriptions and the
    ///     reason for its exclusion.
    static func members(_ numbers: RawSpan, disabled: RawSpan) -> [Member] {
        var members: [Member] = []
        members.reserveCapacity(numbers.byteCount / 8)
        for index in 0..<numbers.byteCount / 8 {
            members.append(Member(subscription: number(numbers, index), disabled: StateCode.valid))
        }
        mark(&members, disabled)
        return members
    }

    private static func mark(_ members: inout [Member], _ disabled: RawSpan) {
        var place = 0
        for pair in 0..<disabled.byteCount / 16 {
            let subscription = number(disabled, pair * 2)
            while place < members.count, members[place].subscription < subscription { place += 1 }
            guard place < members.count, members[place].subscription == subscription else { continue }
            members[place].disabled = number(disabled, pair * 2 + 1)
        }
    }

    private static func number(_ span: RawSpan, _ index: Int) -> Int64 {
        Int64(bigEndian: unsafe span.unsafeLoadUnaligned(fromByteOffset: index * 8, as: Int64.self))
    }

    /// - Returns: The number of subscriptions taken.
    private mutating func take(
        _ sql: String, upTo last: Int64, atMost room: Int? = nil, _ db: any Session,
        bindMore: (any Statement) -> Void = { _ in }
    ) throws -> Int {
        let statement = try db.statement(sql)
        defer { statement.reset() }
        let before = members.count
        statement.bind(after, at: 1)
        statement.bind(last, at: 2)
        statement.bind(Int64(room ?? limit - before), at: 3)
        bindMore(statement)
        while try statement.next() {
            members.append(Member(subscription: statement.integer(0), disabled: statement.integer(1)))
        }
        return members.count - before
    }
}
