/// The causes of one delivery and their codes.
///
/// **Promises.** A code never changes its meaning. The last code that a table assigns is 250. Each later
/// cause gets the "other" code of its failure type.
/// **Neighbours.** The store keeps a row for each interned code and writes it in the transaction that first
/// uses the code. If two writers intern at the same time, one of them fails, loads the rows and interns
/// again.
package struct CauseTable: Equatable, Sendable {
    /// The causes of the codes after ``CauseCode/lastOwn``, in order.
    private var interned: ContiguousArray<Cause> = []

    package init() {}

    /// - Parameter rows: The interned causes, in any order. Each code must occur exactly once, without gaps.
    package init(rows: some Sequence<(code: CauseCode, cause: Cause)>) throws(PartDamage) {
        let sorted = rows.sorted { $0.code < $1.code }
        for (offset, row) in sorted.enumerated() {
            guard Int(row.code.rawValue) == Int(CauseCode.lastOwn.rawValue) + 1 + offset,
                row.code <= .lastInterned
            else { throw PartDamage(.causes, .code) }
            interned.append(row.cause)
        }
    }

    /// The number of codes that have a row.
    package var count: Int { interned.count }

    /// The cause of a code; `nil` if no message can have that code.
    package subscript(_ code: CauseCode) -> Cause? {
        let index = Int(code.rawValue) - Int(CauseCode.lastOwn.rawValue) - 1
        return interned.indices.contains(index) ? interned[index] : code.fixed
    }

    /// - Returns: The cause's code, and whether the store needs a row for it.
    package mutating func intern(_ cause: Cause) -> (code: CauseCode, isNew: Bool) {
        if let known = code(of: cause) { return (known, false) }
        let next = Int(CauseCode.lastOwn.rawValue) + 1 + interned.count
        guard next <= Int(CauseCode.lastInterned.rawValue) else { return (.other(cause.type), false) }
        interned.append(cause)
        return (CauseCode(rawValue: UInt8(next)), true)
    }

    /// Returns the cause's own code; `nil` if the cause has none.
    package func code(of cause: Cause) -> CauseCode? {
        if let own = Self.own.first(where: { $0.cause == cause }) { return own.code }
        // A delivery has few causes, and the most frequent ones usually come first.
        guard let index = interned.firstIndex(of: cause) else { return nil }
        return CauseCode(rawValue: UInt8(Int(CauseCode.lastOwn.rawValue) + 1 + index))
    }

    private static let own: [(code: CauseCode, cause: Cause)] = (1...CauseCode.lastOwn.rawValue).compactMap {
        let code = CauseCode(rawValue: $0)
        return code.fixed.map { (code, $0) }
    }
}
