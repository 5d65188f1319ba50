internal import PushModel
internal import PushQueue

/// The recipients that a target excludes by name, in a form for many look-ups.
struct TargetExclusions {
    private let userKeys: Set<ExactText>
    private let tokens: Set<ExactText>

    var isEmpty: Bool { userKeys.isEmpty && tokens.isEmpty }

    init(of target: Target) {
        userKeys = Set(target.exclusion.userKeys.map(ExactText.init))
        tokens = Set(target.exclusion.tokens.map(ExactText.init))
    }

    /// - Throws: ``UnreadableValue`` if the store does not contain everything that the target listed.
    init(_ details: TargetDetails, of delivery: DeliveryID, _ db: any Session) throws {
        func list(_ list: TargetPages.List, _ count: Int) throws -> Set<ExactText> {
            guard count > 0 else { return [] }
            let texts = try Self.read(list, count, of: delivery, db)
            guard texts.count == count else { throw UnreadableValue() }
            return texts
        }
        userKeys = try list(.excludedUserKeys, details.excludedUserKeys)
        tokens = try list(.excludedTokens, details.excludedTokens)
    }

    /// Reads a list with a custom parser. For a long list, the library's decoder would take longer than the
    /// chunk for which the list is read.
    static func read(
        _ list: TargetPages.List, _ count: Int, of delivery: DeliveryID, _ db: any Session
    ) throws -> Set<ExactText> {
        let statement = try db.statement(TargetPages.selection)
        defer { statement.reset() }
        statement.bind(TargetPages.arguments(list, of: delivery))
        var texts = Set<ExactText>(minimumCapacity: count)
        while try statement.next() {
            let page = unsafe statement.bytes(0)
            guard read(unsafe page.span, to: &texts) else { throw UnreadableValue() }
        }
        return texts
    }

    /// - Returns: Whether the page is an array of texts.
    static func read(_ page: Span<UInt8>, to texts: inout Set<ExactText>) -> Bool {
        var cursor = JSONCursor()
        guard cursor.take(UInt8(ascii: "["), in: page) else { return false }
        repeat {
            var text: [UInt8] = []
            guard cursor.text(in: page, to: &text) else { return false }
            texts.insert(ExactText(bytes: text))
        } while cursor.take(UInt8(ascii: ","), in: page)
        return cursor.take(UInt8(ascii: "]"), in: page) && cursor.isAtEnd(of: page)
    }

    var namesTokens: Bool { !tokens.isEmpty }

    func names(token: ExactText) -> Bool { tokens.contains(token) }

    /// Returns the members without the excluded ones.
    func remaining(
        of members: [TargetSelection.Member], _ db: any Session
    ) throws -> [TargetSelection.Member] {
        guard !isEmpty, !members.isEmpty else { return members }
        let numbers = ContiguousArray(members.map { SubscriptionID(rawValue: $0.subscription) })
        let columns = userKeys.isEmpty ? SubscriptionWalk.token : SubscriptionWalk.address
        var walk = try SubscriptionWalk(numbers, db, reading: columns)
        var remaining: [TargetSelection.Member] = []
        remaining.reserveCapacity(members.count)
        try SubscriptionVisitor.visit(numbers, by: &walk, reading: columns) { place, token, userKey, _ in
            let isOut =
                !tokens.isEmpty && tokens.contains(ExactText(token))
                || !userKeys.isEmpty && userKeys.contains(ExactText(userKey))
            if !isOut { remaining.append(members[place]) }
        }
        return remaining
    }
}
