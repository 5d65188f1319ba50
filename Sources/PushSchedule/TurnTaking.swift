/// Whose turn it is among accounts that share one child: deficit round robin with a fixed quantum, so that an account
/// with a million messages and one with ten get the same number of submissions a turn.
package struct TurnTaking<Member: Hashable & Sendable>: Sendable {
    private var members: [Member] = []
    private var next = 0
    /// Submissions that one turn allows.
    package let quantum: Int

    package init(quantum: Int) { self.quantum = quantum }

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    package mutating func join(_ member: Member) {
        if !members.contains(member) { members.append(member) }
    }

    package mutating func leave(_ member: Member) {
        guard let index = members.firstIndex(of: member) else { return }
        members.remove(at: index)
        if index < next { next -= 1 }
        if next >= members.count { next = 0 }
    }

    /// The member whose turn comes now; the one after it is next.
    package mutating func take() -> Member? {
        guard !members.isEmpty else { return nil }
        defer { next = (next + 1) % members.count }
        return members[next]
    }
}
